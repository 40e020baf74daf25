import TributaryCore
import TributaryLog
import TributarySQLite

/// The journal of a table that triggers cannot capture, because it has too many columns, or a name that
/// refers to the row in a trigger. Only a comparison with the logs fills it.
struct WideJournal {
  let table: TableDescription

  static func isNeeded(_ table: TableDescription) -> Bool {
    // If a trigger reads from a table with such a name, the table hides the new or the old row.
    table.columns.count > CaptureTriggers.columnLimit
      || ["new", "old"].contains(SQLName(table.name))
  }

  private var name: String { CaptureTriggers.journal(of: table.name).quotedIdentifier }

  /// The statement that makes the journal.
  var statement: String { "CREATE TABLE main.\(name)(id INTEGER PRIMARY KEY, op, row BLOB)" }

  /// The query for all entries: what happened, and the encoded row.
  var query: String { "SELECT op, row FROM main.\(name) ORDER BY id" }

  /// Adds an entry.
  ///
  /// - Parameter former: for each column, the former value if it is known.
  func append(
    _ operation: CaptureTriggers.Operation, key: [Value], former: [Value?],
    in connection: Connection
  ) throws {
    var buffer = ByteBuffer()
    for value in key { buffer.append(value) }
    for (column, value) in former.enumerated() {
      guard let value else { continue }
      buffer.append(Value.integer(Int64(column)))
      buffer.append(value)
    }
    let statement = try connection.cached("INSERT INTO main.\(name)(op, row) VALUES (?, ?)")
    try statement.run(.integer(operation.rawValue), .blob(Array(buffer.bytes)))
  }

  /// Reads the row of an entry.
  func row(_ bytes: UnsafeRawBufferPointer) throws -> (key: [Value], former: [Value?]) {
    var cursor = ImageCursor(bytes)
    var key: [Value] = []
    for _ in table.shape.keys { key.append(try cursor.next().value ?? .null) }
    var former = [Value?](repeating: nil, count: table.shape.columns.count)
    while !cursor.isAtEnd {
      let column = try cursor.next().integer
      let value = try cursor.next().value
      if former.indices.contains(Int(column)) { former[Int(column)] = value }
    }
    return (key, former)
  }
}
