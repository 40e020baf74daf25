import TributaryCore
import TributarySQLite
import TributaryStore

/// Restores how far a store has removed its own log, if the records contradict that.
struct RemovalRepair {
  let connection: Connection
  let own: PeerIdentity

  /// Restores it, once the records are there again as far as segments contain them.
  ///
  /// - Throws: `StoreError` with the code `damaged` if the store no longer states what it has forgotten.
  func run() throws {
    guard let settled = try HorizonRecord(connection).settled,
      let first = try Outbox(connection).first(), first > .zero
    else { return }
    let removed = RemovedTransactions(connection)
    let last = try removed.last
    let missing = SequenceNumber(first.rawValue - 1)
    let limit = settled.horizon[own]
    // Transactions below the horizon that have no record are covered by the baseline. A missing record above
    // the horizon is damage.
    guard missing <= limit, last < missing || last > limit else { return }
    try connection.immediate { try removed.note(upTo: missing) }
  }
}
