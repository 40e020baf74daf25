import TributaryCore
import TributaryLog
import TributarySQLite

/// Computes the unique keys of rows that are in no table, and finds out whether their table allows them.
///
/// If a key consists of expressions, or of columns that SQLite computes, the row is inserted into an empty
/// copy of its table in memory, and SQLite computes the key.
final class KeyProbe {
  private let schema: ReplicatedSchema
  private let extensions: [String]
  private var memory: Connection?
  private var made: Set<Int> = []

  /// Makes a probe.
  ///
  /// - Parameter extensions: the SQLite extensions of the store.
  init(_ schema: ReplicatedSchema, extensions: [String]) {
    self.schema = schema
    self.extensions = extensions
  }

  /// Returns the values of a unique key in the spelling that all equal values share, preceded by the values
  /// that SQL compares; `nil` if the row claims none.
  func claim(
    _ key: UniqueKey, of row: [Value], table: Int
  ) throws -> (bytes: [UInt8], values: [Value])? {
    let values: [Value]
    if let columns = key.columns {
      values = columns.map { row[$0] }
    } else {
      guard let computed = try compute(key, row, table) else { return nil }
      values = computed
    }
    return values.contains(.null) ? nil : (try Self.bytes(values, key.collations), values)
  }

  /// Returns bytes that are equal exactly when SQLite considers the values equal.
  static func bytes(_ values: [Value], _ collations: [Collation]) throws(LogError) -> [UInt8] {
    let shape = TableShape(
      table: "", columns: values.indices.map { "\($0)" },
      keys: zip(values.indices, collations).map { TableShape.Key(column: $0, collation: $1) })
    var bytes = ByteBuffer()
    try RowKeyEncoder(shape: shape).encode(values, into: &bytes)
    return Array(bytes.bytes)
  }

  /// Returns the constraint of its table that a row breaks because of its own values; `nil` if it breaks
  /// none.
  ///
  /// - Throws: also `SQLiteError` for a CHECK that calls functions of the application, which are not known
  ///   here.
  func violation(of row: [Value], table: Int) throws -> Conflict.Kind? {
    let memory = try copy(of: table)
    try memory.execute("PRAGMA ignore_check_constraints = OFF")
    let insertion = Result { try insert(row, table, memory) }
    try memory.execute("PRAGMA ignore_check_constraints = ON")
    do { try insertion.get() } catch let error as SQLiteError {
      guard let kind = Conflict.Kind(error.constraint) else { throw error }
      return kind
    }
    return nil
  }

  private func compute(_ key: UniqueKey, _ row: [Value], _ table: Int) throws -> [Value]? {
    let memory = try copy(of: table)
    do { try insert(row, table, memory) } catch let error as SQLiteError {
      guard error.breaks(schema.tables[table]) else { throw error }
      // With these values, the row cannot be in its table.
      return nil
    }
    let query = try memory.cached(
      "SELECT \(key.terms.joined(separator: ", ")) FROM main.\(schema.tables[table].name.quotedIdentifier)"
        + (key.condition.map { " WHERE \($0)" } ?? ""))
    defer { query.reset() }
    return try query.step() ? query.values : nil
  }

  /// Returns the connection to a database that has an empty copy of a table.
  private func copy(of table: Int) throws -> Connection {
    let memory = try memory ?? Connection(path: ":memory:", mode: .create, extensions: extensions)
    self.memory = memory
    if made.insert(table).inserted {
      try memory.execute("PRAGMA ignore_check_constraints = ON")
      try memory.execute(schema.tables[table].sql)
    }
    return memory
  }

  /// Makes a row the only one in the copy of its table.
  private func insert(_ row: [Value], _ table: Int, _ memory: Connection) throws {
    let description = schema.tables[table]
    let name = description.name.quotedIdentifier
    try memory.execute("DELETE FROM main.\(name)")
    let columns = description.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = row.map { _ in "?" }.joined(separator: ", ")
    let insertion = try memory.cached(
      "INSERT OR ABORT INTO main.\(name) (\(columns)) VALUES (\(marks))")
    try insertion.bind(row)
    try insertion.run()
  }
}
