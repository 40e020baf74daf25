import TributaryCore
import TributarySQLite

/// How large own transactions are in a segment, before compression: their changes, and about what
/// comes with each transaction. It adds up, whatever the segments.
struct OutboxSizes {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Of a transaction without changes.
  private static let transactionByteCount: Int64 = 32

  /// In ascending order of sequence.
  func forEach(
    from first: SequenceNumber, to last: SequenceNumber, _ body: (UInt64, Int64) throws -> Void
  ) throws {
    let statement = try connection.cached(
      """
      SELECT sequence, length(changes) + ifnull((
        SELECT sum(length(p.changes)) FROM tributary_outbox_piece AS p WHERE p.sequence = o.sequence), 0)
      FROM tributary_outbox AS o WHERE sequence BETWEEN ? AND ? ORDER BY sequence
      """)
    defer { statement.reset() }
    try statement.bind(Int64(first.rawValue), at: 1)
    try statement.bind(Int64(last.rawValue), at: 2)
    while try statement.step() {
      try body(
        UInt64(clamping: statement.integer(0)), statement.integer(1) + Self.transactionByteCount)
    }
  }

  func total(from first: SequenceNumber, to last: SequenceNumber) throws -> Int64 {
    var total: Int64 = 0
    try forEach(from: first, to: last) { total += $1 }
    return total
  }
}
