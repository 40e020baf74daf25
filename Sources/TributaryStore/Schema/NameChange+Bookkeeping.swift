import TributaryCore
import TributarySQLite

/// What a migration renames, in the bookkeeping of the store.
extension NameChange {
  /// Checks that the migration has done what it declares.
  ///
  /// - Parameter schema: the tables after it.
  func check(against schema: ReplicatedSchema, path: String) throws {
    let problem: String? =
      switch self {
      case .renamedTable(let old, let new):
        has(old, schema)
          ? "table \(old) is still there" : has(new, schema) ? nil : "there is no table \(new)"
      case .droppedTable(let table): has(table, schema) ? "table \(table) is still there" : nil
      case .renamedColumn(let old, let table, let new):
        !has(table, schema)
          ? "there is no table \(table)"
          : has(old, table, schema)
            ? "column \(old) of table \(table) is still there"
            : has(new, table, schema) ? nil : "there is no column \(new) of table \(table)"
      case .droppedColumn(let column, let table):
        has(column, table, schema) ? "column \(column) of table \(table) is still there" : nil
      }
    guard let problem else { return }
    throw StoreError(
      .migration, "the migration declares `\(self)`, but \(problem)", path: path,
      remedy: "make the declaration and the statements agree; nothing of it has been kept")
  }

  private func has(_ table: SQLName, _ schema: ReplicatedSchema) -> Bool {
    schema.tableNumber(named: table.text) != nil
  }

  private func has(_ column: SQLName, _ table: SQLName, _ schema: ReplicatedSchema) -> Bool {
    schema.table(named: table.text)?.columns.contains { SQLName($0.name) == column } ?? false
  }

  /// Gives the bookkeeping the new name, within the open transaction. What is dropped leaves it.
  func rename(in connection: Connection) throws {
    switch self {
    case .renamedTable(let old, let new):
      for table in Self.tables {
        try connection.prepare(
          "UPDATE OR REPLACE \(table) SET \"table\" = ?2 WHERE \"table\" = ?1 COLLATE NOCASE"
        ).run(.string(old.text), .string(new.text))
      }
      try connection.prepare(
        "UPDATE OR REPLACE tributary_table SET name = ?2 WHERE name = ?1"
      ).run(.string(old.text), .string(new.text))
      // The indexes that SQLite makes have the name of the table in theirs.
      try connection.prepare(
        """
        UPDATE tributary_claim SET name = 'sqlite_autoindex_' || ?2 || substr(name, length('sqlite_autoindex_' || ?1) + 1)
        WHERE "table" = ?2 COLLATE NOCASE AND name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\'
          AND substr(name, 18, length(?1)) = ?1 COLLATE NOCASE
        """
      ).run(.string(old.text), .string(new.text))
      try connection.execute(
        "DROP INDEX IF EXISTS main.\("tributary_rows_\(old.text)".quotedIdentifier)")
    case .droppedTable(let table):
      for name in Self.tables {
        try connection.prepare("DELETE FROM \(name) WHERE \"table\" = ? COLLATE NOCASE")
          .run(.string(table.text))
      }
    case .renamedColumn(let old, let table, let new):
      try connection.prepare(
        """
        UPDATE OR REPLACE tributary_merge SET "column" = ?3
        WHERE "table" = ?1 COLLATE NOCASE AND "column" = ?2 COLLATE NOCASE
        """
      ).run(.string(table.text), .string(old.text), .string(new.text))
    case .droppedColumn(let column, let table):
      try connection.prepare(
        """
        DELETE FROM tributary_merge
        WHERE "table" = ?1 COLLATE NOCASE AND "column" = ?2 COLLATE NOCASE
        """
      ).run(.string(table.text), .string(column.text))
    }
  }

  /// The tables of the bookkeeping that name tables of the application.
  private static let tables = [
    "tributary_merge", "tributary_conflict", "tributary_held", "tributary_claim",
    "tributary_birth",
  ]
}
