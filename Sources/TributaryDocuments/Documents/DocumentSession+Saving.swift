internal import TributaryContainer
internal import TributaryFiles
package import TributarySync

extension DocumentSession {
  /// Publishes what was written and imports what has arrived.
  ///
  /// - Throws: why something could not be published. It is safe in the store, and is tried again.
  @discardableResult
  package func save() throws -> SyncReport {
    let report = try centre.using(self) { try synchronize() }
    if let failure = report.failure { throw failure }
    return report
  }

  /// Publishes and imports, and follows what others have done to the package.
  ///
  /// - Throws: what is wrong with the store itself.
  func synchronize() throws -> SyncReport {
    // Before anything is published where nobody looks any more. Where that cannot be read, the synchronisation reports why.
    if !state.contains(.closed), (try? isDeleted()) == true { throw closeDeleted() }
    let commits = content.withLock { $0!.commits }
    let report: SyncReport
    do {
      report = try session.synchronize(didImport: didImport)
    } catch {
      // Somebody has closed the document meanwhile.
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

  /// Whether the document was deleted, here or elsewhere, and not only from where it was before a process of this
  /// device has moved it.
  private func isDeleted() throws -> Bool {
    // Another thread may follow a move between the two questions, which must be about the same place.
    let document = document
    return try isDeleted(from: document) && newRecord(of: document) == nil
  }

  private func isDeleted(from document: OpenDocument) throws -> Bool {
    guard let container = document.container else {
      // A document of this device alone is deleted with its logs.
      return try documents.local.files.status(
        documents.local.privateContainer(of: document.metadata.contentName)) == nil
        && documents.files.status(document.package) == nil
    }
    let tombstones = Tombstones(container: container, files: documents.files)
    // A container that is away says nothing.
    return (try? tombstones.contain(document.metadata)) ?? false
  }

  private func closeDeleted() -> DocumentError {
    let document = document
    let error = Documents.deleted(document.package)
    end(error)
    // What cannot be removed now, the next look at the documents removes.
    if let container = document.container { try? documents.sweep(container) }
    return error
  }

  /// Finds the package again where another device has renamed it, or another process has moved it.
  private func followPackage() {
    let document = document
    // Where it cannot be found now, the next synchronisation looks again.
    guard (try? documents.files.status(document.package)) == .some(nil) else { return }
    if let moved = try? movedByAnotherProcess() { return didMove(to: moved) }
    guard let container = document.container,
      let package = try? documents.packages(of: document.metadata.contentName, in: container).first
    else { return }
    didMove(to: document.moved(to: package))
  }

  /// Returns the document as it is where another process of this device has moved it; `nil` if none has.
  private func movedByAnotherProcess() throws -> OpenDocument? {
    guard let record = try newRecord(of: document),
      documents.isPackage(record.package, named: record.contentName)
    else { return nil }
    return try documents.open(record.package)
  }

  /// Returns the record of the document if it is of another package now.
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
