internal import TributaryContainer
internal import TributaryCore
internal import TributaryFiles
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

extension Documents {
  /// Deletes a document: the package, the logs and the store, on all devices. Anything that a device had
  /// written and no other device had imported is kept on that device, in the directory `removed` beside the
  /// stores.
  ///
  /// If the document has another package, because two devices have renamed it at the same time, only this
  /// package is removed. If a user has moved a package out of its container by hand, the other devices keep
  /// their packages, and what this device has written to the document is published first.
  ///
  /// - Throws: `DocumentError` with `missing` or `notADocument` if there is none; with `unpublished` if it
  ///   was moved out of its container by hand and something cannot be published, in which case nothing has
  ///   changed; with `inaccessible` for the first thing in the package that cannot be removed, in which case
  ///   the document is deleted anyway. `CancellationError`; nothing has changed then either.
  package func delete(_ path: String) throws {
    let place = try place(of: path)
    let metadata = try metadata(of: place)
    // If a carrier has put aside the metadata of another document there, that document stays.
    if let container = place.container { try part(place.package, in: container) }
    try step.run(.deletes, place.package) {
      try local.locked(metadata.contentName) { try delete(metadata, place, keepingStore: false) }
    }
  }

  /// Deletes a locked document.
  ///
  /// - Parameter keepingStore: whether the store is used elsewhere from now on.
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

  /// Removes the package of a document that counts as deleted in any case.
  ///
  /// - Returns: the error to throw once the rest of the document is gone; `nil` if nothing of the package is
  ///   left.
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

  /// Returns this device's knowledge of a document.
  private func knowledge(of metadata: DocumentMetadata, in container: String) throws -> Knowledge {
    let documents = try local.all(named: metadata.contentName)
    guard
      let document = documents.first(where: {
        $0.record.container == container && $0.record.contentRoot == metadata.contentURL
      }), try local.files.status(document.store) != nil
    else { return Knowledge() }
    // A store that cannot be read must not prevent its document from being deleted. The other devices then
    // keep what they have.
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

  /// Removes the stores of the documents in a container that was deleted on this device.
  ///
  /// - Parameter container: the former path of the container, without links.
  package func forget(container: String) throws {
    for document in try local.all() where document.record.container == container {
      try local.locked(document.record.contentName) {
        try local.files.removeTree(document.directory)
      }
    }
  }

  // MARK: What others have deleted

  /// Removes what is left of deleted documents: logs and packages that arrived late, and stores of this
  /// device.
  ///
  /// - Parameter did: called with what is removed.
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
          // A device that does not know of the deletion yet still writes there. The next examination removes
          // it.
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

  /// Removes the logs of a deleted document, and the store unless it has something that the other devices
  /// lack.
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

  /// Removes the logs of a document. Other files in their directory do not belong to the document, and stay.
  private func removeLogs(_ directory: String) throws {
    // The target of a link has no logs of this container.
    guard try files.resolve(directory) == directory else { return }
    try files.removeTree(directory.appending(component: "peers"))
    try files.removeIfEmpty(directory)
  }

  /// Whether the devices that deleted a document had everything that this device had written.
  private func isKnown(_ document: LocalDocument, to known: [String: UInt64]) throws -> Bool {
    // The contents of a store that was put aside are unknown.
    guard try !local.hasStoreAside(document) else { return false }
    guard try local.files.status(document.store) != nil else { return true }
    // A store that cannot be read is kept.
    guard let connection = try? Connection(path: document.store, mode: .readWrite) else {
      return false
    }
    defer { connection.close() }
    do {
      guard try Settings.exist(in: connection) else {
        // A detached store is an ordinary database; one that is being made is empty.
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

  /// Keeps a store whose document other devices have deleted.
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
    // The store becomes an ordinary database: its logs are gone and must not come back. A store that cannot
    // be read is kept as it is.
    let kept = LocalDocument(directory: path, record: document.record)
    _ = try? Engine.detach(
      store: kept.store, removeLogs: false, leavingUnpublished: true, environment: environment)
    try local.files.synchronizeDirectory(local.removed)
    try local.files.synchronizeDirectory(local.root)
    return kept.store
  }
}
