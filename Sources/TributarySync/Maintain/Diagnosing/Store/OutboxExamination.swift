import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Whether the store's own transactions are all there and readable.
struct OutboxExamination: Examination {
  let store: StoreSubject

  let subject = "the store's own transactions"

  func examine(_ findings: inout [Finding]) throws {
    guard let last = try Outbox(store.connection).last()?.sequence else { return }
    for missing in try gaps() {
      findings.append(
        store.damage(
          .outbox, "tributary_outbox lacks \(PeerText.transactions(missing)) of this store"))
    }
    if let sequence = try store.connection.integer(
      """
      SELECT sequence FROM tributary_outbox_piece GROUP BY sequence
      HAVING min(piece) <> 1 OR max(piece) <> count(*) LIMIT 1
      """)
    {
      findings.append(
        store.damage(.outbox, "tributary_outbox_piece lacks pieces of transaction \(sequence)"))
    }
    try checkTimes(&findings)
    try decode(upTo: last, &findings)
  }

  private func gaps() throws -> [ClosedRange<SequenceNumber>] {
    let statement = try store.connection.prepare(
      """
      SELECT before + 1, sequence - 1 FROM (
        SELECT sequence, lag(sequence, 1, 0) OVER (ORDER BY sequence) AS before
        FROM tributary_outbox WHERE sequence > 0
      ) WHERE sequence > before + 1 LIMIT 10
      """)
    var gaps: [ClosedRange<SequenceNumber>] = []
    while try statement.step() {
      let first = SequenceNumber(UInt64(clamping: statement.integer(0)))
      gaps.append(first...max(first, SequenceNumber(UInt64(clamping: statement.integer(1)))))
    }
    return gaps
  }

  private func checkTimes(_ findings: inout [Finding]) throws {
    let statement = try store.connection.prepare(
      "SELECT sequence, time FROM tributary_outbox ORDER BY sequence")
    var before: HybridTime?
    while try statement.step() {
      let time = HybridTime(rawValue: UInt64(bitPattern: statement.integer(1)))
      if let before, time <= before {
        findings.append(
          store.damage(
            .outbox,
            "transaction \(statement.integer(0)) of this store is not later than the one before it")
        )
        return
      }
      before = time
    }
  }

  private func decode(upTo last: SequenceNumber, _ findings: inout [Finding]) throws {
    let registry = try ShapeRegistry(store.connection)
    let statement = try store.connection.prepare(
      """
      SELECT sequence, changes FROM tributary_outbox
      UNION ALL SELECT sequence, changes FROM tributary_outbox_piece
      """)
    var told: Set<Int64> = []
    while try statement.step() {
      let sequence = statement.integer(0)
      do {
        var reader = ChangeListReader(statement.bytes(1))
        while try reader.next(layout: registry.layout) != nil {}
      } catch {
        guard told.count < 10, told.insert(sequence).inserted else { continue }
        findings.append(
          store.damage(
            .outbox, "transaction \(sequence) of this store cannot be read: \(error.message)"))
      }
    }
  }
}
