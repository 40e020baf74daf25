import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The transactions that wrote each cell of the rows of a scratch database.
///
/// For each row, by its key, a table contains numbers of transactions: eight bytes for each column, and 0 for
/// a column with its default. Another table lists the transactions. The numbers are not in the row's own
/// table, which may already have as many columns as SQLite allows.
final class CellAuthors {
  private let scratch: Connection
  private var transaction: BatchTransaction?
  /// The number of the current transaction; 0 before it has written anything.
  private var number: Int64 = 0
  private var last: Int64 = 0

  private static let table = "\"tributary author\""

  private static let cells = "\"tributary authors\""

  init(_ scratch: Connection) throws {
    self.scratch = scratch
    try scratch.execute(
      """
      CREATE TABLE \(Self.table) (number INTEGER PRIMARY KEY, peer BLOB, sequence, time);
      CREATE TABLE \(Self.cells) (
        shape TEXT, key BLOB, numbers BLOB, PRIMARY KEY (shape, key)) WITHOUT ROWID
      """)
  }

  /// Attributes the following marks to this transaction.
  func begin(_ transaction: BatchTransaction) {
    if let present = self.transaction, present.stamp == transaction.stamp { return }
    self.transaction = transaction
    number = 0
  }

  /// Records that the current transaction has written some cells of a row.
  func mark(_ columns: [Int], of key: [Value], in table: TableDescription) throws {
    let number = try presentNumber()
    let place = try place(key, table)
    var bytes =
      try numbers(place) ?? [UInt8](repeating: 0, count: table.shape.columns.count * 8)
    for column in columns {
      for place in 0..<8 {
        bytes[column * 8 + place] = UInt8(truncatingIfNeeded: number >> (8 * Int64(place)))
      }
    }
    try scratch.cached("REPLACE INTO \(Self.cells) VALUES (?, ?, ?)").run(
      place[0], place[1], .blob(bytes))
  }

  /// Removes the entry of a deleted row.
  func forget(_ key: [Value], of table: TableDescription) throws {
    let statement = try scratch.cached("DELETE FROM \(Self.cells) WHERE shape = ? AND key = ?")
    try statement.bind(try place(key, table))
    try statement.run()
  }

  /// Returns the same key for all keys that SQLite considers equal.
  private func place(_ key: [Value], _ table: TableDescription) throws -> [Value] {
    var bytes = ByteBuffer()
    try RowKeyEncoder(shape: table.shape).encode(key, into: &bytes)
    return [.string(table.name), .blob(Array(bytes.bytes))]
  }

  private func numbers(_ place: [Value]) throws -> [UInt8]? {
    let statement = try scratch.cached(
      "SELECT numbers FROM \(Self.cells) WHERE shape = ? AND key = ?")
    defer { statement.reset() }
    try statement.bind(place)
    guard try statement.step(), case .blob(let bytes) = statement.value(0) else { return nil }
    return bytes
  }

  private func presentNumber() throws -> Int64 {
    guard number == 0, let transaction else { return number }
    last += 1
    number = last
    let statement = try scratch.cached("INSERT INTO \(Self.table) VALUES (?, ?, ?, ?)")
    try statement.bind([
      .integer(number), .blob(transaction.side.peer.bytes),
      .integer(Int64(transaction.side.sequence.rawValue)),
      .integer(Int64(bitPattern: transaction.side.time.rawValue)),
    ])
    try statement.run()
    return number
  }

  /// Returns the transaction that wrote each column of a row; `nil` for a column with its default.
  func authors(of key: [Value], in table: TableDescription) throws -> [Conflict.Side?] {
    guard let bytes = try numbers(place(key, table)) else { return [] }
    return try stride(from: 0, to: bytes.count, by: 8).map { start in
      var number: Int64 = 0
      for place in (0..<8).reversed() { number = number << 8 | Int64(bytes[start + place]) }
      return try number == 0 ? nil : author(number)
    }
  }

  private func author(_ number: Int64) throws -> Conflict.Side? {
    let statement = try scratch.cached(
      "SELECT peer, sequence, time FROM \(Self.table) WHERE number = ?")
    defer { statement.reset() }
    try statement.bind([.integer(number)])
    guard try statement.step(), case .blob(let bytes) = statement.value(0),
      let peer = bytes.withUnsafeBytes({ PeerIdentity(bytes: $0) })
    else { return nil }
    return Conflict.Side(
      peer: peer, sequence: SequenceNumber(UInt64(statement.integer(1))),
      time: HybridTime(rawValue: UInt64(bitPattern: statement.integer(2))))
  }
}
