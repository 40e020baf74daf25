import TributaryCore
import TributaryLog
import TributarySQLite

/// Turns the rows of a database into its first transaction, in bounded memory.
///
/// Its time is zero, below every real write, so that no copy of an old database overrides one.
struct Adoption {
  let connection: Connection
  let schema: ReplicatedSchema

  /// - Returns: how many rows there were; with none, nothing is recorded.
  func perform() throws -> Int {
    try checkForeignKeys()
    var registry = try ShapeRegistry(connection)
    let schemaNumber = try SchemaNames(connection).number(of: schema.name)
    var writer = PieceWriter(
      outbox: Outbox(connection),
      record: Outbox.Record(
        sequence: SequenceNumber(1), time: .zero, schema: schemaNumber, basis: nil))
    var rows = 0
    for table in schema.tables {
      let number = try registry.number(of: table.shape)
      let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
      let statement = try connection.prepare(
        "SELECT \(columns) FROM \(table.name.quotedIdentifier)")
      while try statement.step() {
        for key in table.shape.keys where statement.isNull(key.column) {
          throw StoreError(
            .unusableRow,
            "a row of table \(table.name) has NULL in its primary key column "
              + table.shape.columns[key.column], path: connection.path,
            remedy: "give the row a key, or leave the table out with --except")
        }
        writer.buffer.appendChangeHead(.insert, shape: number)
        for column in 0..<statement.columnCount { writer.buffer.append(statement, column: column) }
        rows += 1
        try writer.endItem()
      }
    }
    if rows > 0 { try writer.finish() }
    return rows
  }

  private func checkForeignKeys() throws {
    let statement = try connection.prepare(
      #"SELECT "table", rowid, parent FROM pragma_foreign_key_check"#)
    while try statement.step() {
      guard schema.table(named: statement.string(0)) != nil else { continue }
      throw StoreError(
        .adoption,
        "row \(statement.isNull(1) ? "" : "\(statement.integer(1)) ")of table \(statement.string(0)) refers to "
          + "a row of \(statement.string(2)) that does not exist", path: connection.path,
        remedy: "mend what `PRAGMA foreign_key_check` lists, then attach again")
    }
  }
}
