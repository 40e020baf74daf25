package import TributaryFiles

extension MetadataIndex {
  /// Processes what the system reports.
  ///
  /// - Complexity: proportional to what has changed: a file costs one reading of its status; a new directory
  ///   or a changed package is scanned with everything that it contains.
  package func handle(_ events: WatchEvents) {
    if events.overflowed { return reconcile() }
    var seen: Set<Place> = []
    var packages: Set<ExactText> = []
    for event in events.events {
      guard let directory = places[event.token] else { continue }
      if !event.kind.isDisjoint(with: .ended) { places[event.token] = nil }
      guard let name = event.name else {
        if isRoot(directory), !event.kind.isDisjoint(with: [.lost, .ended]) {
          drop(directory)
        }
        continue
      }
      if let package = directories[directory]?.package {
        packages.insert(ExactText(package))
      } else if name == ItemPath.packageMark, !isRoot(directory) {
        packages.insert(ExactText(directory))
      } else if isVisible(name, in: directory) {
        seen.insert(Place(directory: ExactText(directory), name: ExactText(name)))
      }
    }
    for package in packages.map(\.text) where directories[package.parentDirectory] != nil {
      reconcile(package.lastPathComponent, in: package.parentDirectory)
    }
    for place in seen where directories[place.directory.text]?.package == nil {
      if directories[place.directory.text] != nil {
        reconcile(place.name.text, in: place.directory.text)
      }
    }
    for directory in Set(seen.map(\.directory)) { noteModification(of: directory.text) }
    for root in missingRoots { reconcileRoot(root) }
  }

  /// Notes that a directory was modified, which it also is when an entry appears or disappears.
  private func noteModification(of directory: String) {
    guard let record = directories[directory], record.package == nil, !isRoot(directory) else {
      return
    }
    // If it is something else now, that is reported.
    guard let status = try? files.statusOfEntry(directory), status.kind == .directory else {
      return
    }
    note(
      directory.lastPathComponent, in: directory.parentDirectory,
      MetadataItem(
        path: directory, kind: .directory, size: 0, modifiedNanoseconds: status.modifiedNanoseconds)
    )
  }

  private struct Place: Hashable {
    var directory: ExactText
    var name: ExactText
  }
}
