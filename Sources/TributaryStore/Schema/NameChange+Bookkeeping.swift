import TributaryCore
import TributarySQLite

/// Carries out renamings in the bookkeeping of the store.
extension NameChange {
  /// Checks that a migration has done what it declares.
  ///
  /// - Parameters:
  ///   - changes: its declarations, in order: a later one may rename or drop what an earlier one has renamed.
  ///   - schema: the tables after the migration.
  static func check(_ changes: [NameChange], against schema: ReplicatedSchema, path: String) throws
  {
    for (place, change) in changes.enumerated() {
      guard let problem = change.problem(in: schema, before: changes[(place + 1)...]) else {
        continue
      }
      throw StoreError(
        .migration, "the migration declares `\(change)`, but \(problem)", path: path,
        remedy: "make the declaration and the statements agree; nothing of it has been kept")
    }
  }

  /// Whether a database contains the renamed table or column under both its former and its new name.
  func hasBothNames(in schema: ReplicatedSchema) -> Bool {
    switch self {
    case .renamedTable(let old, let new): has(old, schema) && has(new, schema)
    case .renamedColumn(let old, let table, let new):
      has(old, table, schema) && has(new, table, schema)
    case .droppedTable, .droppedColumn: false
    }
  }

  /// Returns what contradicts the declaration, as a phrase; `nil` if nothing does.
  private func problem(
    in schema: ReplicatedSchema, before later: ArraySlice<NameChange>
  ) -> String? {
    switch self {
    case .renamedTable(let old, let new):
      if has(old, schema) { return "table \(old) is still there" }
      guard let final = later.final(ofTable: new) else { return nil }
      return has(final, schema) ? nil : "there is no table \(final)"
    case .droppedTable(let table): return has(table, schema) ? "table \(table) is still there" : nil
    case .renamedColumn(let old, let table, let new):
      guard let place = later.final(ofTable: table) else { return nil }
      guard has(place, schema) else { return "there is no table \(place)" }
      if has(old, place, schema) { return "column \(old) of table \(place) is still there" }
      guard let final = later.final(ofColumn: new, of: table) else { return nil }
      return has(final, place, schema) ? nil : "there is no column \(final) of table \(place)"
    case .droppedColumn(let column, let table):
      guard let place = later.final(ofTable: table) else { return nil }
      return has(column, place, schema) ? "column \(column) of table \(place) is still there" : nil
    }
  }

  private func has(_ table: SQLName, _ schema: ReplicatedSchema) -> Bool {
    schema.tableNumber(named: table.text) != nil
  }

  private func has(_ column: SQLName, _ table: SQLName, _ schema: ReplicatedSchema) -> Bool {
    schema.table(named: table.text)?.columns.contains { SQLName($0.name) == column } ?? false
  }

  /// Gives the new name to what is recorded about rows and about the choice of tables, within the open
  /// transaction, and removes records about what is dropped.
  ///
  /// - Parameter schema: the tables after the migration.
  func carryOut(in connection: Connection, _ schema: ReplicatedSchema) throws {
    switch self {
    case .renamedTable(let old, let new):
      try rename(old, to: schema.table(named: new.text)?.name ?? new.text, in: connection)
    case .droppedTable(let table):
      for name in Self.tables {
        try connection.prepare("DELETE FROM \(name) WHERE \(Self.isTable)")
          .run(.string(table.text))
      }
    case .renamedColumn(let old, let table, let new):
      let name =
        schema.table(named: table.text)?.columns.first { SQLName($0.name) == new }?.name ?? new.text
      try recode(table, connection) { cell in
        guard SQLName(cell.column) == old else { return cell }
        var cell = cell
        cell.column = name
        return cell
      }
    case .droppedColumn(let column, let table):
      try recode(table, connection) { SQLName($0.column) == column ? nil : $0 }
      try ConflictTable(connection).renewWinners(in: table)
      // There is nothing left to decide.
      try connection.prepare(
        "DELETE FROM tributary_conflict WHERE \(Self.isTable) AND columns = x'' AND kind IN (?2, ?3, ?4)"
      ).run(
        .string(table.text), .string(Conflict.Kind.update.rawValue),
        .string(Conflict.Kind.insert.rawValue), .string(Conflict.Kind.delete.rawValue))
    }
  }

  private static let isTable = #""table" = ?1 COLLATE NOCASE"#

  private func rename(_ old: SQLName, to new: String, in connection: Connection) throws {
    for table in Self.tables {
      try connection.prepare("UPDATE OR REPLACE \(table) SET \"table\" = ?2 WHERE \(Self.isTable)")
        .run(.string(old.text), .string(new))
    }
    try connection.prepare("UPDATE OR REPLACE tributary_table SET name = ?2 WHERE name = ?1")
      .run(.string(old.text), .string(new))
    // The names of indexes that SQLite makes itself contain the name of the table.
    let prefix = "sqlite_autoindex_"
    try connection.prepare(
      """
      UPDATE tributary_claim SET name = ?3 || ?1 || substr(name, ?4)
      WHERE \(Self.isTable) AND substr(name, 1, ?4 - 1) = ?2 COLLATE NOCASE
      """
    ).run(
      .string(new), .string("\(prefix)\(old)"), .string(prefix),
      .integer(Int64("\(prefix)\(old)".unicodeScalars.count + 1)))
    try connection.execute(
      "DROP INDEX IF EXISTS main.\("tributary_rows_\(old.text)".quotedIdentifier)")
  }

  /// Replaces cells in the records of conflicts and held rows of a table.
  private func recode(
    _ table: SQLName, _ connection: Connection,
    _ replacement: (Conflict.Cell) -> Conflict.Cell?
  ) throws {
    for (name, column, key) in [
      ("tributary_conflict", "columns", #"ended, "table", row, id"#),
      ("tributary_held", "cells", #""table", key"#),
    ] {
      let rows = try connection.prepare(
        "SELECT \(column), \(key) FROM \(name) WHERE \(Self.isTable)")
      try rows.bind(.string(table.text), at: 1)
      var all: [[Value]] = []
      while try rows.step() { all.append(rows.values) }
      let marks = (2..<(all.first?.count ?? 2) + 1).map { "?\($0)" }.joined(separator: ", ")
      for row in all {
        guard case .blob(let bytes) = row[0] else { continue }
        let new = try bytes.withUnsafeBytes { try Conflict.Cell.recoded($0, replacement) }
        let update = try connection.cached(
          "UPDATE \(name) SET \(column) = ?1 WHERE (\(key)) = (\(marks))")
        try update.bind([.blob(new)] + row.dropFirst())
        try update.run()
      }
    }
  }

  /// The bookkeeping tables that name tables of the application.
  private static let tables = [
    "tributary_conflict", "tributary_held", "tributary_claim", "tributary_birth",
  ]
}

extension ArraySlice<NameChange> {
  /// Returns the name of a table after these declarations; `nil` if one of them drops it.
  fileprivate func final(ofTable table: SQLName) -> SQLName? {
    var name = table
    for change in self {
      switch change {
      case .renamedTable(name, let new): name = new
      case .droppedTable(name): return nil
      default: continue
      }
    }
    return name
  }

  /// Returns the name of a column after these declarations; `nil` if one of them drops it or its table.
  fileprivate func final(ofColumn column: SQLName, of table: SQLName) -> SQLName? {
    var (name, place) = (column, table)
    for change in self {
      switch change {
      case .renamedTable(place, let new): place = new
      case .droppedTable(place): return nil
      case .renamedColumn(name, place, let new): name = new
      case .droppedColumn(name, place): return nil
      default: continue
      }
    }
    return name
  }
}
