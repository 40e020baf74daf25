import TributaryCore
import TributaryLog
import TributarySQLite

extension WriterConnection {
  /// Records the rows with which tables were created (`CREATE TABLE … AS`), which no hook sees.
  func captureRows(ofTablesNotIn old: ReplicatedSchema) throws {
    for table in schema.tables
    where table.refusal == nil && old.table(named: table.name) == nil {
      // A rebuilt table is compared with what it was.
      if try stands(forFormer: table) { continue }
      guard let shape = shapeNumbers[SQLName(table.name)] else { continue }
      let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
      let rows = try connection.prepare(
        "SELECT \(columns) FROM main.\(table.name.quotedIdentifier)")
      while try rows.step() {
        capture.pointee.changes.appendChangeHead(.insert, shape: shape)
        capture.pointee.count += 1
        for column in 0..<rows.columnCount { capture.pointee.changes.append(rows, column: column) }
      }
    }
  }

  /// Whether a table replaces one that existed under its name when the transaction began, or under a name
  /// that a migration has given up.
  private func stands(forFormer table: TableDescription) throws -> Bool {
    guard let original = transaction.schemaBefore else { return false }
    if original.table(named: table.name) != nil { return true }
    let names = try nameChanges()
    return original.tables.contains { former in
      schema.table(named: former.name) == nil
        && names.meaning(of: former.name, among: schema) == .present(table.name)
    }
  }
}
