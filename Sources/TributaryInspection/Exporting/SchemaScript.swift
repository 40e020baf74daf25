package import TributaryContainer
internal import TributaryCore
package import TributaryLog
internal import TributarySQLite
internal import TributaryStore
internal import TributarySync

/// The statements that turn an empty database into one with a peer's schema.
package struct SchemaScript {
  /// The statements before the data: those of the tables, those of indexes that identify rows, and the
  /// application's numbers.
  package private(set) var tables: [String] = []
  /// The statements after the data: those of indexes, triggers and views.
  package private(set) var rest: [String] = []
  /// The names that tables and columns have had.
  private var names = NameChanges()
  /// The tables that the statements make.
  private var made: [SQLName: MadeTable] = [:]

  private struct MadeTable {
    /// The names of the columns, and the collations that these were declared with.
    var columns: [SQLName: (name: String, collation: String?)] = [:]
    var computesColumns = false
  }

  /// Uses the newest schema, as `tributary attach` does.
  ///
  /// - Returns: `nil` if there is none.
  /// - Throws: for statements that do anything but create something, and for those that SQLite does not
  ///   accept.
  package init?(_ schemas: [ManifestSchema]) throws {
    guard let schema = SharedSchema.newest(of: schemas) else { return nil }
    // No other statements must reach the user who runs the script.
    for statement in schema.sql where !SchemaStatements.isCreation(statement) {
      throw InspectionError(
        "the schema in the container contains a statement that creates nothing: \(statement)",
        remedy: "leave --schema out")
    }
    let connection = try Connection(path: ":memory:", mode: .create, classifies: true)
    defer { connection.close() }
    _ = try SchemaStatements.run(schema, in: connection)
    let keys = try Self.keyIndexes(schema, connection)
    for name in schemas.flatMap(\.names) {
      guard let change = NameChange(name) else {
        throw InspectionError(
          "a peer.json has a renaming that cannot be read: \(name)", remedy: "leave --schema out")
      }
      names.add([change])
    }
    let statement = try connection.prepare(
      // Views may use functions that only their program has.
      """
      SELECT t.name, c.name, c.hidden IN (2, 3)
      FROM pragma_table_list AS t, pragma_table_xinfo(t.name, t.schema) AS c
      WHERE t.type = 'table' AND c.hidden <> 1
      """)
    while try statement.step() {
      let (table, column) = (statement.string(0), statement.string(1))
      made[SQLName(table), default: MadeTable()].columns[SQLName(column)] =
        (column, connection.collation(of: column, in: table))
      if statement.integer(2) != 0 { made[SQLName(table)]?.computesColumns = true }
    }
    for statement in schema.sql {
      if Self.makesTable(statement) || keys.contains(Array(statement.utf8)) {
        tables.append(statement)
      } else {
        rest.append(statement)
      }
    }
    tables += schema.numbers.statements
  }

  /// Returns a table of a log under the names of this schema; `nil` if the table was dropped.
  ///
  /// A name that nothing explains is left unchanged. SQLite then reports that there is no such table or
  /// column.
  package func table(_ shape: TableShape) -> StatementTable? {
    let logged = SQLName(shape.table)
    switch names.meaning(ofTable: logged, among: { made[$0] != nil }) {
    case .dropped: return nil
    case .unknown: return StatementTable(shape)
    case .present(let name):
      let table = made[SQLName(name)] ?? MadeTable()
      let present = table.columns
      return StatementTable(
        shape, name: name,
        columns: shape.columns.map { column in
          switch names.meaning(ofColumn: SQLName(column), of: logged, among: { present[$0] != nil })
          {
          case .present(let name): name
          case .dropped: nil
          case .unknown: column
          }
        }, replacesRows: table.computesColumns, collation: { present[SQLName($0)]?.collation })
    }
  }

  /// Returns the statements of the indexes that identify rows: the statements of changes name their columns
  /// as what must be unique.
  private static func keyIndexes(
    _ schema: ManifestSchema, _ connection: Connection
  ) throws -> Set<[UInt8]> {
    let statement = try connection.prepare(
      """
      SELECT s.sql, i.name FROM pragma_index_list(?1) AS l
      JOIN sqlite_schema AS s ON s.type = 'index' AND s.name = l.name, pragma_index_info(l.name) AS i
      WHERE l."unique" AND l.origin = 'c' AND NOT l.partial
      """)
    var keys: Set<[UInt8]> = []
    for (table, merge) in schema.merge {
      guard let unique = merge.unique else { continue }
      try statement.bind([.string(table)])
      var columns: [[UInt8]: [SQLName?]] = [:]
      while try statement.step() {
        columns[Array(statement.string(0).utf8), default: []]
          .append(statement.isNull(1) ? nil : SQLName(statement.string(1)))
      }
      statement.reset()
      let wanted = Set(unique.map { SQLName($0) as SQLName? })
      for (sql, names) in columns where Set(names) == wanted { keys.insert(sql) }
    }
    return keys
  }

  /// Whether a statement makes a table. SQLite stores statements with their first words in this
  /// form.
  private static func makesTable(_ statement: String) -> Bool {
    let words = words(of: statement)
    return words.starts(with: ["CREATE", "TABLE"])
      || words.starts(with: ["CREATE", "VIRTUAL", "TABLE"])
  }

  /// Returns the first three words.
  private static func words(of statement: String) -> [SQLName] {
    statement.split(maxSplits: 3, whereSeparator: \.isWhitespace).prefix(3)
      .map { SQLName(String($0)) }
  }
}
