import TributaryCore
import TributarySQLite

/// The sizes of own transactions in a segment, before compression: their changes, and an estimate of what
/// each transaction adds to them. The sizes add up, however the transactions are divided into segments.
struct OutboxSizes {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The size of a transaction without changes, in bytes.
  private static let transactionByteCount: Int64 = 32

  /// Passes on the sizes, in ascending order of sequence.
  func forEach(
    from first: SequenceNumber, to last: SequenceNumber, _ body: (UInt64, Int64) throws -> Void
  ) throws {
    let pieces = try pieces(from: first, to: last)
    let statement = try connection.cached(
      """
      SELECT sequence, length(changes) FROM tributary_outbox
      WHERE sequence BETWEEN ? AND ? ORDER BY sequence
      """)
    defer { statement.reset() }
    try statement.bind(Int64(first.rawValue), at: 1)
    try statement.bind(Int64(last.rawValue), at: 2)
    while try statement.step() {
      let sequence = UInt64(clamping: statement.integer(0))
      try body(
        sequence,
        statement.integer(1) + pieces[sequence, default: 0] + Self.transactionByteCount)
    }
  }

  /// Returns the sizes of the further pieces, which only a few large transactions have.
  private func pieces(
    from first: SequenceNumber, to last: SequenceNumber
  ) throws -> [UInt64: Int64] {
    // Looking up a key would read whole pieces on the way. A scan of the table reads none.
    let statement = try connection.cached(
      "SELECT sequence, sum(length(changes)) FROM tributary_outbox_piece GROUP BY sequence")
    defer { statement.reset() }
    var pieces: [UInt64: Int64] = [:]
    while try statement.step() {
      let sequence = UInt64(clamping: statement.integer(0))
      guard (first.rawValue...last.rawValue).contains(sequence) else { continue }
      pieces[sequence] = statement.integer(1)
    }
    return pieces
  }

  func total(from first: SequenceNumber, to last: SequenceNumber) throws -> Int64 {
    var total: Int64 = 0
    try forEach(from: first, to: last) { total += $1 }
    return total
  }
}
