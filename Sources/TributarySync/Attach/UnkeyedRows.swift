import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// The rows of a joining database in one table whose rows identify themselves. Determines which of them the
/// logs have, in any version, and which are new.
///
/// A row that the store shows counts for one equal row of the database, whatever their numbers: VACUUM may
/// have changed these. Any other row is an older version of what the logs have under its number, if the logs
/// have written each of its values there at some time and show a different row there now.
struct UnkeyedRows {
  /// A row that the store does not show.
  private struct Unseen {
    var number: Int64
    /// The hashes of its values, by column.
    var hashes: [UInt64]
    /// By column, whether some log has written the value under that number.
    var isLogged: [Bool]
  }

  private let table: TableDescription
  /// The position of the table in the schema.
  private let place: Int
  private let reader: RowReader
  private let original: Connection
  private let substitution: NumberSubstitution?
  private let held: [[UInt8]: [Value]]
  private let connection: Connection
  private var unseen: [Unseen] = []
  /// The positions of rows in `unseen`, by number.
  private var places: [Int64: Int] = [:]
  /// The numbers that the logs have given.
  private var logged: Set<Int64> = []
  private var largest: Int64 = 0

  /// Reads the rows.
  ///
  /// - Parameters:
  ///   - original: the database as it was.
  ///   - substitution: the substitution with which to read its rows.
  init(
    _ table: TableDescription, place: Int, in connection: Connection, from original: Connection,
    _ substitution: NumberSubstitution?, held: [[UInt8]: [Value]]
  ) throws {
    self.table = table
    self.place = place
    self.original = original
    self.substitution = substitution
    self.connection = connection
    self.held = held
    reader = RowReader(table)
    var shown: [UInt64: [Int64]] = [:]
    try Self.forEachRow(of: table, in: connection) { row in
      shown[Self.hash(row.dropFirst()), default: []].append(Self.number(row))
    }
    for row in held.values {
      shown[Self.hash(row.dropFirst()), default: []].append(Self.number(row))
    }
    for numbers in shown.values { largest = max(largest, numbers.max() ?? 0) }
    try Self.forEachRow(of: table, in: original) { row in
      let row = substitution?.row(row, of: place) ?? row
      largest = max(largest, Self.number(row))
      let hash = Self.hash(row.dropFirst())
      let equal = try shown[hash]?.lastIndex { number in
        Self.areEqual(row, try self.row(number, held))
      }
      if let equal {
        shown[hash]?.remove(at: equal)
      } else {
        places[Self.number(row)] = unseen.count
        unseen.append(
          Unseen(
            number: Self.number(row), hashes: row.dropFirst().map { Self.hash([$0]) },
            isLogged: row.dropFirst().map { _ in false }))
      }
    }
  }

  var isEmpty: Bool { unseen.isEmpty }

  /// Adds a change of this table from some log.
  mutating func follow(_ change: ChangeView, _ shape: TableShape) throws {
    guard case .integer(let number)? = try shape.key(change.operation, image: change.image).first
    else { return }
    logged.insert(number)
    largest = max(largest, number)
    guard change.operation != .delete, let place = places[number] else { return }
    var cursor = change.values
    for name in shape.columns {
      guard let value = try cursor.next().value,
        let column = table.shape.columns.firstIndex(where: { SQLName($0) == SQLName(name) }),
        column > 0
      else { continue }
      if unseen[place].hashes[column - 1] == Self.hash([value]) {
        unseen[place].isLogged[column - 1] = true
      }
    }
  }

  /// Passes on the new rows, each under its own number or, if another row has that number, under an unused
  /// one.
  func forEachNewRow(_ body: ([Value]) throws -> Void) throws {
    // If the largest possible number is in use, SQLite looks for others too.
    var last = largest < .max - Int64(unseen.count) ? largest : 0
    for entry in unseen {
      guard var row = try reader.row([.integer(entry.number)], in: original) else { continue }
      row = substitution?.row(row, of: place) ?? row
      let present = try self.row(entry.number, held)
      if logged.contains(entry.number), !entry.isLogged.contains(false),
        // If they are equal, there are more equal rows here than there.
        !Self.areEqual(row, present)
      {
        continue
      }
      if logged.contains(entry.number) || present != nil {
        last = try freeNumber(after: last)
        row[0] = .integer(last)
      }
      try body(row)
    }
  }

  /// Returns the next number that no row has here or there, or has had in the logs.
  private func freeNumber(after last: Int64) throws -> Int64 {
    var number = last + 1
    while try number <= largest
      && (logged.contains(number) || row(number, held) != nil
        || reader.row([.integer(number)], in: original) != nil)
    {
      number += 1
    }
    return number
  }

  private func row(_ number: Int64, _ held: [[UInt8]: [Value]]) throws -> [Value]? {
    if let row = try reader.row([.integer(number)], in: connection) { return row }
    if held.isEmpty { return nil }
    return held[try table.identity(key: [.integer(number)], number: place).key]
  }

  private static func forEachRow(
    of table: TableDescription, in connection: Connection, _ body: ([Value]) throws -> Void
  ) throws {
    let columns = table.shape.columns.map { "r.\($0.quotedIdentifier)" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT \(columns) FROM main.\(table.name.quotedIdentifier) AS r NOT INDEXED ORDER BY 1")
    while try statement.step() { try body(statement.values) }
  }

  /// Whether rows are equal, whatever their numbers.
  private static func areEqual(_ row: [Value], _ other: [Value]?) -> Bool {
    guard let other else { return false }
    return zip(row, other).dropFirst().allSatisfy { $0.hasSameBits(as: $1) }
  }

  private static func number(_ row: [Value]) -> Int64 {
    if case .integer(let number) = row[0] { number } else { 0 }
  }

  private static func hash(_ values: some Sequence<Value>) -> UInt64 {
    var bytes = ByteBuffer()
    for value in values { bytes.append(value) }
    return SegmentHash.hash(bytes.bytes)
  }
}
