internal import TributaryContainer
internal import TributaryFiles
package import TributarySync

extension DocumentSession {
  /// Publishes what was written and imports what has arrived.
  ///
  /// - Throws: why something could not be published. The data is safe in the store, and publishing is tried
  ///   again.
  @discardableResult
  package func save() throws -> SyncReport {
    let report = try centre.using(self) { try synchronize() }
    if let failure = report.failure { throw failure }
    return report
  }

  /// Publishes and imports, and follows what other devices have done to the package.
  ///
  /// - Throws: what is wrong with the store itself.
  func synchronize() throws -> SyncReport {
    // Checked before publishing to where no peer looks any more. If it cannot be read, the synchronisation
    // reports why.
    if !state.contains(.closed), (try? isDeleted()) == true { throw closeDeleted() }
    let commits = content.withLock { $0!.commits }
    let report: SyncReport
    do {
      report = try session.synchronize(didImport: didImport)
    } catch {
      // The document has been closed meanwhile.
      if state.contains(.closed) { throw failure ?? error }
      if try isDeleted() { throw closeDeleted() }
      change {
        $0.state.insert(.savingError)
        $0.failure = error
      }
      throw error
    }
    if report.failure != nil, try isDeleted() { throw closeDeleted() }
    change { state in
      if report.conflicts > 0 {
        state.state.insert(.inConflict)
      } else {
        state.state.remove(.inConflict)
      }
      if let failure = report.failure {
        state.failure = failure
        if state.hadUnsaved || state.commits > state.saved { state.state.insert(.savingError) }
      } else {
        state.failure = nil
        state.state.remove(.savingError)
        state.hadUnsaved = false
        state.saved = max(state.saved, commits)
      }
    }
    followPackage()
    return report
  }

  /// Whether the document was deleted, on this device or another. Deletion from a place that a process of
  /// this device has since moved it away from does not count.
  private func isDeleted() throws -> Bool {
    // Another thread may follow a move between the two checks, which must be about the same place.
    let document = document
    return try isDeleted(from: document) && newRecord(of: document) == nil
  }

  private func isDeleted(from document: OpenDocument) throws -> Bool {
    guard let container = document.container else {
      // A document that is only on this device is deleted with its logs.
      return try documents.local.files.status(
        documents.local.privateContainer(of: document.metadata.contentName)) == nil
        && documents.files.status(document.package) == nil
    }
    let tombstones = Tombstones(container: container, files: documents.files)
    // An absent container says nothing.
    return (try? tombstones.contain(document.metadata)) ?? false
  }

  private func closeDeleted() -> DocumentError {
    let document = document
    let error = Documents.deleted(document.package)
    end(error)
    // What cannot be removed now is removed when the documents are next examined.
    if let container = document.container { try? documents.sweep(container) }
    return error
  }

  /// Finds the package again after another device has renamed it, or another process has moved it.
  private func followPackage() {
    let document = document
    // If it cannot be found now, the next synchronisation looks again.
    guard (try? documents.files.status(document.package)) == .some(nil) else { return }
    if let moved = try? movedByAnotherProcess() { return didMove(to: moved) }
    guard let container = document.container,
      let package = try? documents.packages(of: document.metadata.contentName, in: container).first
    else { return }
    didMove(to: document.moved(to: package))
  }

  /// Returns the document at the place to which another process of this device has moved it; `nil` if none
  /// has.
  private func movedByAnotherProcess() throws -> OpenDocument? {
    guard let record = try newRecord(of: document),
      documents.isPackage(record.package, named: record.contentName)
    else { return nil }
    return try documents.open(record.package)
  }

  /// Returns the record of the document if it names another package now.
  private func newRecord(of document: OpenDocument) throws -> DocumentRecord? {
    let here = try documents.local.first(named: document.metadata.contentName) {
      $0.store == document.store
    }
    guard let record = here?.record, record.package != document.package
    else { return nil }
    return record
  }
}

extension OpenDocument {
  func moved(to package: String) -> OpenDocument {
    OpenDocument(
      package: package, metadata: metadata, store: store, container: container, report: report)
  }
}
