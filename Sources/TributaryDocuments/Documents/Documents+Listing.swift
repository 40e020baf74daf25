internal import TributaryContainer
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore

extension Documents {
  /// Returns the documents in a directory and its subdirectories, in the order of their paths.
  ///
  /// Deleted documents that have arrived late are removed first. The documents of absent containers cannot be
  /// listed: `skip` is called for each of these containers.
  ///
  /// - Parameters:
  ///   - directory: `nil` means the `Documents` directories of all containers that are enabled.
  ///   - skip: called with each problem that leaves something out, such as a directory that cannot be read,
  ///     or a document whose package is gone. The rest is still listed.
  ///   - awaited: called with each document that has logs but no package and that this device has never
  ///     opened. The package may be on its way.
  ///   - did: called with everything that listing has changed, once for each package.
  package func list(
    _ directory: String? = nil, skip: (any Error) -> Void = { _ in },
    awaited: (DocumentError) -> Void = { _ in },
    did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws -> [DocumentDescription] {
    var directories: [String] = []
    if let directory {
      let written = try NameCheck.spelled(AbsolutePath.of(directory), using: files)
      let path = try AbsolutePath.resolved(written, using: files)
      guard try files.status(path)?.kind == .directory else {
        throw DocumentError(
          .missing, "there is no directory", path: directory, remedy: "check the path")
      }
      // Nothing can be listed if this one cannot be read.
      do { _ = try files.list(path) } catch { throw DocumentError(error) }
      directories = [path]
    } else {
      let all = try containers.list()
      directories = try all.filter { $0.state == .enabled }
        .map { try files.resolve($0.path) ?? $0.path }
        .map { $0.appending(component: Containers.documentsName) }
      try containers.obstacles(to: all.filter { $0.state == .absent }.map(\.identifier))
        .forEach(skip)
      if let container {
        if try files.status(container)?.kind == .directory {
          directories.append(container.appending(component: Containers.documentsName))
        } else {
          skip(
            DocumentError(
              .unavailable, "the container is not a directory", path: container,
              remedy: "check the path, and that its file system is mounted"))
        }
      }
    }
    var said: Set<String> = []
    func tell(_ change: DocumentChange) {
      if said.insert(change.path).inserted { did(change) }
    }
    var swept: Set<String> = []
    var found: [DocumentDescription] = []
    for directory in directories {
      // Even if nothing is left to be listed.
      let inside = directory.appending(component: "x")
      if let container = try place(of: inside).container, swept.insert(container).inserted {
        attempt(skip) { try sweep(container, did: tell) }
        attempt(skip) { try tidy(directory, in: container, did: tell) }
        attempt(skip) {
          for record in try withoutPackage(in: container)
          where AbsolutePath.relative(record.package, to: directory) != nil {
            skip(Self.packageIsGone(record))
          }
        }
      }
      var packages: [FoundPackage] = []
      try walk(directory, unreadable: skip) { packages.append(($0, $1)) }
      attempt(skip) {
        // Within the directory alone, it cannot be determined where they belong.
        guard let container = try place(of: inside).container,
          directory == container.appending(component: Containers.documentsName)
        else { return }
        for record in try unopened(in: container, among: packages) {
          awaited(Self.packageIsAwaited(record))
        }
      }
      for (path, metadata) in packages {
        attempt(skip) {
          let container = try place(of: path).container
          if let container, swept.insert(container).inserted {
            try sweep(container, did: tell)
          }
          if let entry = try describe(path, metadata, container, skip) { found.append(entry) }
        }
      }
    }
    let names = Dictionary(grouping: found.compactMap(\.contentName), by: \.self)
    for index in found.indices {
      if let name = found[index].contentName, names[name]!.count > 1 {
        found[index].state = .doubled
      }
    }
    return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private func attempt(_ skip: (any Error) -> Void, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      skip(error)
    }
  }

  /// Gives documents that have lost their packages new ones, and removes packages that are not needed.
  private func tidy(
    _ directory: String, in container: String, did: (DocumentChange) -> Void
  ) throws {
    try walk(directory) { remains in
      try part(remains, in: container, did: did)
      // Anything else in it belongs to no document, and stays.
      try files.removeIfEmpty(remains)
    } _: { package, _ in
      try part(package, in: container, did: did)
    }
    try restoreReplaced(in: container, did: did)
    try removeStandIns(in: directory, did: did)
  }

  private func describe(
    _ path: String, _ metadata: Result<DocumentMetadata, DocumentError>, _ container: String?,
    _ skip: (any Error) -> Void
  ) throws -> DocumentDescription? {
    let name = path.lastPathComponent
    let stem = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) } ?? name
    var entry = DocumentDescription(
      path: path, name: stem.isEmpty ? name : stem, contentName: nil, state: .normal,
      isHere: false, bytes: 0, attributes: [:])
    attempt(skip) { entry.bytes = try files.treeSize(path) }
    let known: DocumentMetadata
    switch metadata {
    case .success(let metadata): known = metadata
    case .failure(let error):
      // It was there a moment ago, but is no longer.
      if [.missing, .notADocument].contains(error.code) { return nil }
      entry.state = error.code == .newerFormat ? .newerFormat : .damaged
      if error.code == .inaccessible { skip(error) }
      attempt(skip) { entry.isHere = try recorded(path) != nil }
      return entry
    }
    if let container {
      // It was removed a moment ago.
      guard try !Tombstones(container: container, files: files).contain(known) else { return nil }
    }
    entry.contentName = known.contentName
    entry.attributes = known.attributes
    let place = DocumentPlace(package: path, container: container)
    let logsPath = logs(
      known.contentURL, known.contentName,
      in: container ?? local.privateContainer(of: known.contentName))
    attempt(skip) { entry.bytes += try files.treeSize(logsPath) }
    do {
      let document = try present(known, place)
      entry.isHere = document != nil
      if let document {
        if try hasConflicts(document.store) { entry.state = .inConflict }
      } else if try !hasLogs(logsPath.appending(component: "peers")) {
        entry.state = .incomplete
      }
    } catch  where Self.isDamage(error) {
      // The store can be rebuilt from the logs.
      entry.isHere = true
      entry.state = .damaged
    }
    return entry
  }

  private func hasConflicts(_ store: String) throws -> Bool {
    let connection = try Connection(path: store, mode: .readWrite)
    defer { connection.close() }
    return try ConflictTable(connection).count() > 0
  }

  /// Calls `body` with each package in a directory and its subdirectories. It does not look for packages
  /// inside packages.
  ///
  /// - Parameters:
  ///   - remains: called with each directory that has conflict copies of metadata but no metadata.
  ///   - unreadable: called for each directory that cannot be listed. The others are still walked.
  func walk(
    _ directory: String, remains: (String) throws -> Void = { _ in },
    unreadable: (DocumentError) -> Void = { _ in },
    _ body: (String, Result<DocumentMetadata, DocumentError>) throws -> Void
  ) throws {
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(directory)
    } catch {
      if error.isMissing { return }
      // Each further directory would take as long.
      if error.isUnresponsive { throw DocumentError(error) }
      return unreadable(DocumentError(error))
    }
    let mark = entries.first { $0.name == DocumentMetadata.fileName && $0.isExact }
    if let mark {
      let metadata = Result { () throws(DocumentError) in
        try DocumentMetadata(ofPackage: directory, using: files)
      }
      try body(directory, metadata)
      // Something else with this name must not hide documents.
      if [.file, .unknown].contains(mark.kind) { return }
    }
    for entry in entries
    where entry.kind == .directory && entry.isExact && !entry.name.hasPrefix(".")
      && entry.name != DocumentMetadata.fileName
    {
      try walk(
        directory.appending(component: entry.name), remains: remains, unreadable: unreadable, body)
    }
    if entries.contains(where: { $0.isExact && Self.isCopy($0.name) }) { try remains(directory) }
  }
}
