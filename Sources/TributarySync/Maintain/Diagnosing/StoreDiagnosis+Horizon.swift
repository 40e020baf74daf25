import TributaryCore
import TributarySQLite
import TributaryStore

/// What is examined about what a store has forgotten.
extension StoreDiagnosis {
  /// Examines whether the store knows all that it has forgotten, and has removed nothing else.
  func horizon(_ findings: inout Findings) throws {
    let record: HorizonRecord
    do {
      record = try HorizonRecord(connection)
    } catch let error as StoreError where error.code == .damaged {
      // `records` has reported it.
      return
    }
    guard let settled = record.settled else { return }
    let own = try identity().peer
    let removed = try RemovedTransactions(connection).last
    if removed > settled.horizon[own] {
      findings.add(
        damage(
          .bookkeeping,
          "the store says that it has removed its transactions up to \(removed), and has forgotten "
            + "only those up to \(settled.horizon[own])"))
    }
    let known = try KnowledgeTable(connection).current()
    if let missing = known.firstMissing(from: settled.horizon.without(own)) {
      findings.add(
        damage(
          .bookkeeping,
          "tributary_peer knows \(missing.peer) up to \(known[missing.peer]), and the store has "
            + "forgotten what came up to \(settled.horizon[missing.peer])"))
    }
  }
}
