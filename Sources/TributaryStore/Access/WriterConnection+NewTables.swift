import TributaryCore
import TributaryLog
import TributarySQLite

extension WriterConnection {
  /// Records the rows with which tables were created (`CREATE TABLE … AS`), which no hook sees.
  func captureRows(ofTablesNotIn old: ReplicatedSchema) throws {
    for table in schema.tables where table.refusal == nil && old.table(named: table.name) == nil {
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
}
