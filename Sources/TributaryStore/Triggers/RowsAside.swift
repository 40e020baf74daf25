import TributaryCore
import TributarySQLite

/// Takes rows out of a table and puts them back, if triggers fire in an import for inserted rows but not for
/// deleted ones: a row that only moves aside must not be inserted twice.
///
/// Neither step fires triggers. The row waits in a table in memory that is like its own table and has the
/// same triggers. There, it is updated to its new state, so that the triggers see its old and its new values,
/// although these may never have followed each other in the table.
///
/// That table is in a database of its own: where triggers are switched off, temporary triggers still fire,
/// except those on temporary tables.
package final class RowsAside {
  private let connection: Connection
  private let table: TableDescription
  /// The name of the table in SQL.
  private let main: String
  private let aside: String
  /// The name of the row identifier, for rows that no key identifies; `nil` if there is none.
  private let rowIdentifier: String?
  /// All columns that the triggers see, in SQL.
  private let columns: [String]

  /// Makes the place where rows wait.
  ///
  /// - Returns: `nil` for a table whose rows fire no trigger, or whose triggers also fire when rows are
  ///   deleted and so undo what is done again when the rows are back.
  package static func make(
    _ table: TableDescription, _ connection: Connection
  ) throws -> RowsAside? {
    let triggers = ImportTriggers(connection)
    guard try triggers.fire(on: table.name), try !triggers.fireOnDelete(of: table.name) else {
      return nil
    }
    return RowsAside(table, connection)
  }

  private init(_ table: TableDescription, _ connection: Connection) {
    self.table = table
    self.connection = connection
    main = "main.\(table.name.quotedIdentifier)"
    aside =
      "\(ImportTriggers.asideSchema).\((ImportTriggers.asidePrefix + table.name).quotedIdentifier)"
    let names = Set(table.columns.map { SQLName($0.name) })
    rowIdentifier =
      table.isWithoutRowIdentifier || table.hasRowIdentifierKey
      ? nil : ["rowid", "_rowid_", "oid"].first { !names.contains(SQLName($0)) }
    columns = (rowIdentifier.map { [$0] } ?? []) + table.columns.map(\.name.quotedIdentifier)
  }

  private func makeAside() throws {
    // It is made again if a transaction has rolled it back.
    try ImportTriggers(connection).makeAside(for: table, as: aside) { try makeTable() }
  }

  private func makeTable() throws {
    var definitions = table.columns.map { column in
      let type =
        switch column.affinity {
        case .integer: table.hasRowIdentifierKey ? "INTEGER" : "INT"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .real: "REAL"
        case .numeric: "NUMERIC"
        }
      let collation = connection.collation(of: column.name, in: table.name) ?? "BINARY"
      return "\(column.name.quotedIdentifier) \(type) COLLATE \(collation.quotedIdentifier)"
    }
    definitions.append("PRIMARY KEY (\(table.keyTerms.joined(separator: ", ")))")
    try connection.execute("CREATE TABLE \(aside) (\(definitions.joined(separator: ", ")))")
  }

  /// Takes the row with a key, in the order of the key, out of its table.
  package func takeOut(_ key: [Value]) throws {
    try makeAside()
    let list = columns.joined(separator: ", ")
    try silently {
      try run(
        """
        INSERT INTO \(aside) (\(list)) SELECT \(list) FROM \(main)
        WHERE \(table.keyCondition)
        """, key)
      try run("DELETE FROM \(main) WHERE \(table.keyCondition)", key)
    }
  }

  /// Puts a row that was taken out back, in its current state.
  ///
  /// - Throws: `SQLiteError`; the row then stays out of its table.
  package func putBack(_ row: [Value]) throws {
    let key = table.key(of: row)
    var names = table.shape.columns.map(\.quotedIdentifier)
    var marks = row.indices.map { "?\(key.count + $0 + 1)" }
    if let rowIdentifier {
      names.append(rowIdentifier)
      // Another row may have got its number in the meantime.
      marks.append(
        """
        (SELECT a.\(rowIdentifier) FROM \(aside) AS a WHERE \(condition("a"))
          AND NOT EXISTS (SELECT 1 FROM \(main) AS m WHERE m.\(rowIdentifier) = a.\(rowIdentifier)))
        """)
    }
    // No trigger fires here; the clause would otherwise apply to its statements too.
    try silently {
      try run(
        """
        INSERT OR ABORT INTO \(main) (\(names.joined(separator: ", ")))
        VALUES (\(marks.joined(separator: ", ")))
        """, key + row)
    }
    let new = try values(of: main, key)
    let changed = zip(try values(of: aside, key), new).enumerated()
      .filter { !$0.element.0.hasSameBits(as: $0.element.1) }.map(\.offset)
    if !changed.isEmpty {
      let terms = changed.enumerated().map { "\(columns[$1]) = ?\(key.count + $0 + 1)" }
      try run(
        "UPDATE \(aside) SET \(terms.joined(separator: ", ")) WHERE \(condition(nil))",
        key + changed.map { new[$0] })
    }
    try silently { try run("DELETE FROM \(aside) WHERE \(table.keyCondition)", key) }
  }

  /// Discards a row that was taken out and does not come back, or that was never in its table.
  package func leaveOut(_ key: [Value]) throws {
    try makeAside()
    try run("DELETE FROM \(aside) WHERE \(table.keyCondition)", key)
  }

  private func silently(_ body: () throws -> Void) throws {
    try connection.cached("INSERT INTO temp.\(ImportTriggers.silence) VALUES (1)").run()
    let end = try connection.cached("DELETE FROM temp.\(ImportTriggers.silence)")
    do { try body() } catch {
      try end.run()
      throw error
    }
    try end.run()
  }

  /// Returns the condition that is true for the row whose key is bound to the first parameters.
  private func condition(_ name: String?) -> String {
    let prefix = name.map { "\($0)." } ?? ""
    return table.keyTerms.enumerated().map { "\(prefix)\($1) = ?\($0 + 1)" }
      .joined(separator: " AND ")
  }

  private func values(of name: String, _ key: [Value]) throws -> [Value] {
    let list = columns.map { "r.\($0)" }.joined(separator: ", ")
    let query = try connection.cached("SELECT \(list) FROM \(name) AS r WHERE \(condition("r"))")
    defer { query.reset() }
    try query.bind(key)
    return try query.step() ? query.values : []
  }

  private func run(_ sql: String, _ values: [Value]) throws {
    let statement = try connection.cached(sql)
    try statement.bind(values)
    try statement.run()
  }
}
