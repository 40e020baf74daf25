internal import TributaryContainer
internal import TributaryFiles
internal import TributaryStore
internal import TributarySync

// Packages that are in no container: those of documents that are only on this device, and those that a user
// has moved out of their container by hand.
extension Documents {
  /// Deletes a document whose package is in no container. The document is locked.
  ///
  /// The logs in a container stay: there is no statement there that the document was deleted.
  ///
  /// - Parameter keepingStore: whether the store is used elsewhere from now on.
  func deleteOutside(
    _ metadata: DocumentMetadata, _ package: String, keepingStore: Bool
  ) throws {
    let own = local.privateContainer(of: metadata.contentName)
    let documents = keepingStore ? [] : try local.all(named: metadata.contentName)
    // The other packages keep using the store.
    if try documents.contains(where: { try hasPackage($0.record, besides: package) }) {
      return try removePackage(package)
    }
    for document in documents where document.record.container != own {
      try partWithLogs(document, package)
    }
    // Without the metadata, the document no longer exists.
    try files.remove(package.appending(component: DocumentMetadata.fileName))
    let rest = removePackageAsFarAsPossible(package)
    for document in documents { try local.files.removeTree(document.directory) }
    if !keepingStore { try local.files.removeTree(own) }
    if let rest { throw rest }
  }

  /// Returns the packages of a document that this device has seen at other places and that are still there.
  /// Outside containers, no other device knows them.
  func copies(of record: DocumentRecord, besides package: String) -> [String]? {
    // Most packages are opened where they were.
    if record.package == package { return record.copies }
    return presentCopies(of: record, besides: package)
  }

  private func presentCopies(of record: DocumentRecord, besides package: String) -> [String]? {
    let found = ([record.package] + (record.copies ?? [])).filter {
      $0 != package && isPackage($0, named: record.contentName)
    }
    return found.isEmpty ? nil : found
  }

  /// Whether a document has another package: where this device has seen it, or in its container.
  private func hasPackage(_ record: DocumentRecord, besides package: String) throws -> Bool {
    if presentCopies(of: record, besides: package) != nil { return true }
    return try packages(of: record.contentName, in: record.container).contains { $0 != package }
  }

  /// Makes sure that nothing is lost with a store whose logs stay: publishes what is unpublished or, if other
  /// devices have deleted the document, keeps a store that has something that they lacked.
  private func partWithLogs(_ document: LocalDocument, _ package: String) throws {
    let record = document.record
    let tombstones = Tombstones(container: record.container, files: files)
    if try tombstones.contain(root: record.contentRoot, name: record.contentName) {
      return try remove(record.contentRoot, record.contentName, tombstones, keepingStore: false)
    }
    do {
      try publishAll(document, package)
    } catch {
      throw try explained(error, package)
    }
  }

  private func publishAll(_ document: LocalDocument, _ package: String) throws {
    guard try local.files.status(document.store) != nil,
      try LocalStore.isAttached(at: document.store)
    else { return }
    let session = try SyncSession(store: document.store, environment: environment)
    defer { session.store.close() }
    do {
      try Engine.publishAll(of: session) { try synchronize(session) }
    } catch let error as SyncError where error.code == .unpublished {
      throw DocumentError(
        .unpublished, error.message, path: package,
        remedy:
          "run `tributary sync \(package)` until it succeeds, then delete it again; after `tributary detach \(package) "
          + "--leave-unpublished` it is deleted anyway", underlying: error)
    }
  }

  /// Synchronises a store until this is cancelled. What has been imported by then stays.
  func synchronize(_ session: SyncSession) throws -> SyncReport {
    // This waits for writers of other processes, and records nothing.
    if let cancellation = local.cancellation {
      try session.store.write(heeding: cancellation) { _ in }
    }
    return try session.synchronize { _ in try local.cancellation?.check() }
  }
}
