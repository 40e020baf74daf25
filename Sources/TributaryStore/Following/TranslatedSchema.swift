import TributaryCore
import TributarySQLite

/// A schema from elsewhere with the names that its tables and columns have here, where migrations have
/// renamed them on one of the devices. SQLite itself renames them, in memory, wherever they occur.
package struct TranslatedSchema {
  /// The statements, parallel to the given ones. They are unchanged if SQLite cannot rename something there.
  package private(set) var statements: [String]
  /// The tables and columns that have another name there.
  private(set) var differences: [SchemaDifference] = []

  /// Translates statements into the names of a database.
  ///
  /// - Parameter names: what migrations have renamed, here or elsewhere.
  package init(
    _ statements: [String], as connection: Connection, _ names: NameChanges
  ) throws {
    let tables = try SchemaObject.all(in: connection).filter { $0.type == "table" && !$0.isVirtual }
    try self.init(
      statements,
      tables: Dictionary(
        tables.map { (SQLName($0.name), $0) }, uniquingKeysWith: { first, _ in first }),
      names, extensions: connection.extensions)
  }

  /// - Parameters:
  ///   - tables: the tables here, by name.
  ///   - names: what migrations have renamed.
  init(
    _ statements: [String], tables: [SQLName: SchemaObject], _ names: NameChanges,
    extensions: [String]
  ) throws {
    self.statements = statements
    if names.isEmpty { return }
    let renamings = statements.flatMap { Self.renamings($0, tables, names) }
    if renamings.isEmpty { return }
    let connection = try Connection(
      path: ":memory:", mode: .create, classifies: true, extensions: extensions)
    defer { connection.close() }
    connection.classifier?.protectsBookkeeping = true
    var places: [Int64?] = []
    for sql in statements { places.append(try Self.make(sql, in: connection)) }
    do {
      for renaming in renamings { try connection.prepare(renaming.sql).run() }
      self.statements = try zip(statements, places).map { sql, place in
        guard let place else { return sql }
        let reading = try connection.prepare("SELECT sql FROM sqlite_schema WHERE rowid = ?")
        try reading.bind([.integer(place)])
        return try reading.step() && !reading.isNull(0) ? reading.string(0) : sql
      }
      differences = renamings.map(\.difference)
    } catch let error as SQLiteError {
      // The comparison then reports the different names, and nothing from that table is adopted.
      guard error.isOfStatement else { throw error }
    }
  }

  private struct Renaming {
    var sql: String
    var difference: SchemaDifference
  }

  /// Returns what gives a table there the names that it has here; the columns come first.
  private static func renamings(
    _ sql: String, _ tables: [SQLName: SchemaObject], _ names: NameChanges
  ) -> [Renaming] {
    guard let there = TableText(sql), let object = SchemaObject(sql: sql),
      case .present(let name) = names.meaning(
        ofTable: SQLName(object.name), among: { tables[$0] != nil }),
      let present = tables[SQLName(name)], let here = TableText(present.sql)
    else { return [] }
    let table = "main.\(object.name.quotedIdentifier)"
    var renamings = there.columns.compactMap { column -> Renaming? in
      guard
        case .present(let new) = names.meaning(
          ofColumn: SQLName(column.name), of: SQLName(object.name), among: here.names.contains),
        SQLName(new) != SQLName(column.name)
      else { return nil }
      return Renaming(
        sql:
          "ALTER TABLE \(table) RENAME COLUMN \(column.name.quotedIdentifier) TO \(new.quotedIdentifier)",
        difference: SchemaDifference(
          table: present.name,
          "column \(new) of table \(present.name) is called \(column.name) there",
          isAdditive: false))
    }
    if SQLName(present.name) != SQLName(object.name) {
      renamings.append(
        Renaming(
          sql: "ALTER TABLE \(table) RENAME TO \(present.name.quotedIdentifier)",
          difference: SchemaDifference(
            table: present.name, "table \(present.name) is called \(object.name) there",
            isAdditive: false)))
    }
    return renamings
  }

  /// Makes an object.
  ///
  /// - Returns: its position in the schema; `nil` if it cannot be made.
  private static func make(_ sql: String, in connection: Connection) throws -> Int64? {
    guard let object = SchemaObject(sql: sql) else { return nil }
    do {
      let statement = try connection.prepare(sql)
      guard statement.kind == .schema, statement.parameterCount == 0 else { return nil }
      try statement.run()
    } catch {
      guard error.isOfStatement else { throw error }
      return nil
    }
    return try connection.integer(
      "SELECT rowid FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
      .string(object.type), .string(object.name))
  }
}
