import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Which transaction wrote each cell of the rows of a scratch database.
///
/// Each row has the numbers of transactions in a column of its own, eight bytes for each of its
/// columns, 0 for one that has its default; what the numbers mean is in a table.
final class CellAuthors {
  private let scratch: Connection
  private var transaction: BatchTransaction?
  /// The number of the present transaction; 0 before it has written anything.
  private var number: Int64 = 0
  private var last: Int64 = 0

  private static let table = "\"tributary author\""

  /// As it is written in SQL; no column of a shape has a name like this.
  static let column = "\"tributary authors\""

  init(_ scratch: Connection) throws {
    self.scratch = scratch
    try scratch.execute(
      "CREATE TABLE \(Self.table) (number INTEGER PRIMARY KEY, peer BLOB, sequence, time)")
  }

  /// What is marked from now on is written by this transaction.
  func begin(_ transaction: BatchTransaction) {
    if let present = self.transaction, present.stamp == transaction.stamp { return }
    self.transaction = transaction
    number = 0
  }

  /// The column of a row after the present transaction has written some of its cells.
  ///
  /// - Parameter count: how many columns the table has.
  /// - Parameter cells: the column before; NULL for a new row.
  func marking(_ columns: [Int], of count: Int, in cells: Value) throws -> Value {
    let number = try presentNumber()
    var bytes = [UInt8](repeating: 0, count: count * 8)
    if case .blob(let before) = cells { bytes = before }
    for column in columns {
      for place in 0..<8 {
        bytes[column * 8 + place] = UInt8(truncatingIfNeeded: number >> (8 * Int64(place)))
      }
    }
    return .blob(bytes)
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

  /// Who wrote each column, from what `marking` made; `nil` for one that has its default.
  func authors(in cells: Value) throws -> [Conflict.Side?] {
    guard case .blob(let bytes) = cells else { return [] }
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
