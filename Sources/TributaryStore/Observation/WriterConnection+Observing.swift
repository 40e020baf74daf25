import TributaryCore
import TributarySQLite

/// Notifies those who observe the store.
extension WriterConnection {
  /// Makes the transaction that has just begun note its tables, if there is an observer.
  func observeTransaction() {
    capture.pointee.touched.begin(noting: observation.isActive)
  }

  /// Commits and notifies the observer.
  ///
  /// - Parameter recorded: the recorded transaction, if there is one.
  func commitObserved(_ recorded: SequenceNumber?) throws {
    guard let observer = observation.present else { return try commitStatement.run() }
    defer { observed = nil }
    if let recorded { observer.willCommit(recorded, by: peer) }
    do {
      try commitStatement.run()
    } catch {
      if let recorded { observer.didFail(recorded, by: peer) }
      throw error
    }
    let changes = committedChanges(recorded)
    if !changes.isEmpty { observer.didCommit(changes) }
  }

  private func committedChanges(_ recorded: SequenceNumber?) -> CommittedChanges {
    var changes = CommittedChanges()
    changes.sequence = recorded
    // If it was not, the transaction began before there was an observer.
    if capture.pointee.touched.isNoting { changes.tables = capture.pointee.touched.tables }
    changes.records = recorded == nil ? [] : observed?.changes.map { [$0] }
    changes.shapes = registry.shapes
    changes.hasOtherRows = concernsHeldRows
    if transaction.schemaBefore != nil { changes.schemaVersion = schemaVersion }
    return changes
  }
}
