internal import CPlatform
internal import TributaryFiles

extension MetadataIndex {
  /// Compares a directory that is not a package, and everything below it, with the file system.
  func scan(_ directory: String) {
    guard let entries = open(directory, package: nil) else { return }
    var names: [String] = []
    var paths: [String] = []
    for entry in entries where entry.isExact && isVisible(entry.name, in: directory) {
      guard entry.kind != .symbolicLink, entry.kind != .other else { continue }
      let path = directory.appending(component: entry.name)
      // The system reports it again if it vanishes meanwhile.
      if entry.kind == .unknown, (try? files.statusOfEntry(path))??.kind == .symbolicLink {
        continue
      }
      names.append(entry.name)
      paths.append(path)
    }
    let statuses: [FileStatus?]
    do {
      statuses = try files.statuses(paths)
    } catch {
      return fail(directory, error)
    }
    let present = Set(names.map(ExactText.init))
    let record = directories[directory]!
    for name in record.children where !present.contains(name) {
      drop(directory.appending(component: name.text))
      directories[directory]?.children.remove(name)
    }
    for name in record.matches.keys where !present.contains(ExactText(name)) {
      note(name, in: directory, nil)
    }
    for (index, name) in names.enumerated() {
      take(name, in: directory, paths[index], statuses[index])
    }
  }

  /// Compares one entry with the file system.
  func reconcile(_ name: String, in directory: String) {
    let path = directory.appending(component: name)
    do {
      take(name, in: directory, path, try files.statusOfEntry(path))
    } catch {
      fail(directory, error)
    }
  }

  private func take(
    _ name: String, in directory: String, _ path: String, _ status: FileStatus?
  ) {
    if status?.kind != .directory, directories[directory]?.children.remove(ExactText(name)) != nil {
      drop(path)
    }
    switch status?.kind {
    case .file:
      note(
        name, in: directory,
        MetadataItem(
          path: path, kind: .file, size: status!.size,
          modifiedNanoseconds: status!.modifiedNanoseconds))
    case .directory:
      directories[directory]?.children.insert(ExactText(name))
      note(name, in: directory, takeDirectory(path, status!))
    default: note(name, in: directory, nil)
    }
  }

  private func takeDirectory(_ path: String, _ status: FileStatus) -> MetadataItem {
    while true {
      let isPackage = isPackage(path)
      let item = takeDirectory(path, status, isPackage: isPackage)
      // The mark may have appeared or disappeared before the directory was watched.
      if self.isPackage(path) == isPackage { return item }
    }
  }

  private func isPackage(_ path: String) -> Bool {
    let mark = path.appending(component: ItemPath.packageMark)
    // A file that cannot be examined is not a mark.
    return (try? files.statusOfEntry(mark))??.kind == .file
  }

  private func takeDirectory(
    _ path: String, _ status: FileStatus, isPackage: Bool
  ) -> MetadataItem {
    // What it was before no longer counts.
    if let record = directories[path], (record.package != nil) != isPackage { drop(path) }
    if isPackage {
      var contents = PackageContents()
      scanPackage(path, of: path, &contents)
      return MetadataItem(
        path: path, kind: .package, size: contents.size,
        modifiedNanoseconds: contents.modifiedNanoseconds,
        metadata: PackageMetadata(
          at: path.appending(component: ItemPath.packageMark), files))
    }
    scan(path)
    // Its status since it is being watched. If it cannot be examined now, an event reports what has become of
    // it.
    let watched = (try? files.statusOfEntry(path)) ?? status
    return MetadataItem(
      path: path, kind: .directory, size: 0,
      modifiedNanoseconds: watched.modifiedNanoseconds)
  }

  private struct PackageContents {
    var size: UInt64 = 0
    var modifiedNanoseconds = Int64.min
  }

  private func scanPackage(
    _ directory: String, of package: String, _ contents: inout PackageContents
  ) {
    guard let entries = open(directory, package: package) else { return }
    let inner = entries.filter(\.isExact)
    let paths = inner.map { directory.appending(component: $0.name) }
    var children: Set<ExactText> = []
    for (entry, path) in zip(inner, paths) where entry.kind != .symbolicLink {
      // The system reports it again if it vanishes meanwhile.
      guard let status = try? files.statusOfEntry(path) else { continue }
      switch status.kind {
      case .directory:
        children.insert(ExactText(entry.name))
        scanPackage(path, of: package, &contents)
      case .file:
        contents.size &+= status.size
        contents.modifiedNanoseconds = max(contents.modifiedNanoseconds, status.modifiedNanoseconds)
      default: continue
      }
    }
    for gone in directories[directory]!.children.subtracting(children) {
      drop(directory.appending(component: gone.text))
    }
    directories[directory]!.children = children
  }

  /// Watches and lists a directory.
  ///
  /// - Returns: `nil` if it cannot be listed.
  private func open(_ directory: String, package: String?) -> [DirectoryEntry]? {
    // Watched first, so that no change is missed in between.
    let token = watch(directory)
    let old = directories[directory]?.token
    if old != token { unwatch(old) }
    directories[directory, default: DirectoryRecord()].token = token
    directories[directory]?.package = package
    do {
      let entries = try files.list(directory)
      succeed(directory)
      return entries
    } catch {
      fail(directory, error)
      return nil
    }
  }

  private func watch(_ directory: String) -> WatchToken? {
    // On other file systems, other machines may make changes unnoticed.
    let isLocal = tributary_notes_changes(directory)
    if isLocal {
      unwatched.remove(ExactText(directory))
    } else {
      unwatched.insert(ExactText(directory))
    }
    do {
      guard let token = try watcher?.watch(directory, Self.changes) else {
        unwatched.insert(ExactText(directory))
        return nil
      }
      if let former = places[token], ExactText(former) != ExactText(directory) {
        // The directory has moved; its former path is about to be reported.
        directories[former]?.token = nil
      }
      places[token] = directory
      return token
    } catch {
      unwatched.insert(ExactText(directory))
      return nil
    }
  }
}
