internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

extension Documents {
  /// Deletes a document: the package, the logs and the store, on all devices. What they had written and nobody
  /// had imported is kept on the device that wrote it, in the directory `removed` beside the stores.
  ///
  /// Where the document has another package, because two devices have renamed it at the same time, only this
  /// package goes. A package that somebody has carried out of its container by hand leaves the others theirs: what this
  /// device has written in it is published first.
  ///
  /// - Throws: `DocumentError` with `missing` or `notADocument` if there is none; with `unpublished` if it was carried out
  ///   of its container, and something cannot be published, where nothing has changed; with `inaccessible` for the first
  ///   thing in the package that cannot be removed: the document is deleted all the same. `CancellationError`, where
  ///   nothing has changed either.
  package func delete(_ path: String) throws {
    let place = try place(of: path)
    let metadata = try metadata(of: place)
    // Another document whose metadata a carrier has put aside there stays.
    if let container = place.container { try part(place.package, in: container) }
    try step.run(.deletes, place.package) {
      try local.locked(metadata.contentName) { try delete(metadata, place, keepingStore: false) }
    }
  }

  /// Deletes a document that is locked.
  ///
  /// - Parameter keepingStore: whether the store goes on elsewhere.
  func delete(_ metadata: DocumentMetadata, _ place: DocumentPlace, keepingStore: Bool) throws {
    guard let container = place.container else {
      return try deleteOutside(metadata, place.package, keepingStore: keepingStore)
    }
    let others = try packages(of: metadata.contentName, in: container).filter {
      try $0 != place.package && !isStandIn($0, for: metadata)
    }
    if !others.isEmpty { return try removePackage(place.package) }
    let tombstones = Tombstones(container: container, files: files)
    // From here on, the document is deleted, whatever happens.
    try tombstones.add(metadata, knowledge: knowledge(of: metadata, in: container))
    let rest = removePackageAsFarAsPossible(place.package)
    try remove(metadata.contentURL, metadata.contentName, tombstones, keepingStore: keepingStore)
    if let rest { throw rest }
  }

  /// Removes the package of a document that is deleted in any case.
  ///
  /// - Returns: what to throw when the rest of the document is gone; `nil` if nothing of the package stays.
  func removePackageAsFarAsPossible(_ package: String) -> DocumentError? {
    do {
      try removePackage(package)
      return nil
    } catch {
      return DocumentError(
        .inaccessible,
        "the document is deleted, but not all of its package is gone (\(error.operation): "
          + "\(error.message))",
        path: error.path, remedy: "\(error.remedy); then remove it by other means",
        underlying: error)
    }
  }

  /// Removes a package, its metadata first.
  func removePackage(_ package: String) throws(FileError) {
    try files.remove(package.appending(component: DocumentMetadata.fileName))
    try files.removeTree(package)
    try files.synchronizeDirectory(package.parentDirectory)
  }

  /// Returns the paths of all packages with a content name in a container.
  func packages(of contentName: String, in container: String) throws -> [String] {
    var found: [String] = []
    try walk(container.appending(component: Containers.documentsName)) { package, metadata in
      if case .success(let metadata) = metadata, metadata.contentName == contentName {
        found.append(package)
      }
    }
    return found
  }

  /// Returns what this device knows of a document.
  private func knowledge(of metadata: DocumentMetadata, in container: String) throws -> Knowledge {
    let documents = try local.all(named: metadata.contentName)
    guard
      let document = documents.first(where: {
        $0.record.container == container && $0.record.contentRoot == metadata.contentURL
      }), try local.files.status(document.store) != nil
    else { return Knowledge() }
    // A store that cannot be read must not keep its document from being deleted: then the others keep what
    // they have.
    return (try? Self.knowledge(inStore: document.store)) ?? Knowledge()
  }

  private static func knowledge(inStore path: String) throws -> Knowledge {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    guard try Settings.exist(in: connection) else { return Knowledge() }
    let own = try Knowledge.Entry(
      peer: Settings(connection).identity().peer,
      sequence: Outbox(connection).last()?.sequence ?? .zero)
    return try Knowledge(KnowledgeTable(connection).current().entries + [own])
  }

  /// Removes the stores of the documents of a container that was deleted on this device.
  ///
  /// - Parameter container: the path, without links, that the container had.
  package func forget(container: String) throws {
    for document in try local.all() where document.record.container == container {
      try local.locked(document.record.contentName) {
        try local.files.removeTree(document.directory)
      }
    }
  }

  // MARK: What others have deleted

  /// Removes what is left of documents that were deleted: logs and packages that arrived late, and stores of
  /// this device.
  ///
  /// - Parameter did: told of what is removed.
  func sweep(
    _ container: String, did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws {
    let tombstones = Tombstones(container: container, files: files)
    let deleted = try tombstones.all()
    if deleted.isEmpty { return }
    let here = Set(try local.all().map(\.record.contentName))
    for (root, name) in deleted {
      let peers = logs(root, name, in: container).appending(component: "peers")
      let hasLogs = try files.status(peers) != nil
      guard hasLogs || here.contains(name) else { continue }
      try local.lockedIfFree(name) {
        do {
          try remove(root, name, tombstones, keepingStore: false, did: did)
        } catch is FileError {
          // A device that does not know yet still writes there. The next look removes it.
        }
      }
    }
    // A package comes with its logs, or after them.
    let names = Set(deleted.map(\.name))
    try walk(container.appending(component: Containers.documentsName)) { package, metadata in
      guard case .success(let metadata) = metadata, names.contains(metadata.contentName),
        try tombstones.contain(metadata)
      else { return }
      // As above.
      do {
        try part(package, in: container, did: did)
        try removePackage(package)
        did(.deleted(package, keeping: nil))
      } catch is FileError {}
    }
  }

  /// Removes the logs of a deleted document, and the store unless it has what the others lack.
  func remove(
    _ root: String, _ name: String, _ tombstones: Tombstones, keepingStore: Bool,
    did: (DocumentChange) -> Void = DocumentChange.unsaid
  ) throws {
    try removeLogs(logs(root, name, in: tombstones.container))
    if keepingStore { return }
    for document in try local.all(named: name)
    where document.record.container == tombstones.container && document.record.contentRoot == root {
      if try isKnown(document, to: tombstones.knowledge(root: root, name: name)) {
        try local.files.removeTree(document.directory)
        did(.deleted(document.record.package, keeping: nil))
      } else {
        did(.deleted(document.record.package, keeping: try setAside(document)))
      }
    }
  }

  /// Removes the logs of a document. What else is in their directory is not the document's, and stays.
  private func removeLogs(_ directory: String) throws {
    // Where a link leads, there are no logs of this container.
    guard try files.resolve(directory) == directory else { return }
    try files.removeTree(directory.appending(component: "peers"))
    try files.removeIfEmpty(directory)
  }

  /// Whether those who deleted a document had everything that this device had written.
  private func isKnown(_ document: LocalDocument, to known: [String: UInt64]) throws -> Bool {
    // Nobody knows what is in a store that was put aside.
    guard try !local.hasStoreAside(document) else { return false }
    guard try local.files.status(document.store) != nil else { return true }
    // A store that cannot be read is kept.
    guard let connection = try? Connection(path: document.store, mode: .readWrite) else {
      return false
    }
    defer { connection.close() }
    do {
      guard try Settings.exist(in: connection) else {
        // One that was detached is an ordinary database by now; one that is being made is empty.
        return try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      }
      let peer = try Settings(connection).identity().peer
      let last = try Outbox(connection).last()?.sequence ?? .zero
      return try last.rawValue <= known[peer.description] ?? 0
        && !ForeignCapture(connection).isPending()
    } catch {
      return false
    }
  }

  /// Keeps a store whose document others have deleted.
  ///
  /// - Returns: where it is now.
  private func setAside(_ document: LocalDocument) throws -> String {
    try local.files.makeDirectories(local.removed)
    var path = local.removed.appending(component: document.record.contentName)
    var number = 1
    while try local.files.status(path) != nil {
      number += 1
      path = local.removed.appending(component: "\(document.record.contentName).\(number)")
    }
    try local.files.rename(document.directory, to: path)
    // An ordinary database from here on: its logs are gone, and must not come back. One that cannot be read is kept
    // as it is.
    let kept = LocalDocument(directory: path, record: document.record)
    _ = try? Engine.detach(
      store: kept.store, removeLogs: false, leavingUnpublished: true, environment: environment)
    try local.files.synchronizeDirectory(local.removed)
    try local.files.synchronizeDirectory(local.root)
    return kept.store
  }
}
