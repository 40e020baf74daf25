import TributaryCore
import TributarySQLite

/// Writes defaults into rows that are older than their column.
///
/// SQLite adds a column without touching the rows. The hook then reports NULL where a reader sees the
/// default. A row that is written again contains the value itself.
enum StoredDefaults {
  static func complete(
    _ table: TableDescription, except known: Set<SQLName> = [], in connection: Connection
  ) throws {
    guard
      let column = table.storedColumns.map({ table.columns[$0] }).first(where: {
        $0.mayDifferFromDefault && !known.contains(SQLName($0.name))
      })
    else { return }
    let name = column.name.quotedIdentifier
    try connection.withoutTriggers {
      try connection.execute(
        "UPDATE OR ABORT main.\(table.name.quotedIdentifier) SET \(name) = \(name)")
    }
  }
}
