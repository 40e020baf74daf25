import TributaryCore
import TributarySQLite

/// The unique keys and references of the replicated tables, as the schema declares them.
struct DeclaredConstraints: Sendable {
  /// The unique keys, by table.
  var uniqueKeys: [[UniqueKey]]
  /// The references, by child.
  var references: [[Reference]]

  /// The definitions from which they were read.
  private var definitions: String
  private var tables: [SQLName]

  /// Reads the constraints, unless the connection has already read the same definitions.
  static func of(
    _ schema: ReplicatedSchema, _ connection: Connection
  ) throws -> DeclaredConstraints {
    let definitions = try definitions(connection)
    let usable = schema.tables.map { $0.refusal == nil }
    let tables = zip(schema.tables, usable).map { SQLName($1 ? $0.name : "") }
    if let known = connection.cache[DeclaredConstraints.self],
      known.definitions.utf8.elementsEqual(definitions.utf8), known.tables == tables
    {
      return known
    }
    let uniqueKeys = try schema.tables.enumerated().map { number, table in
      usable[number] ? try UniqueKey.keys(of: table, connection) : []
    }
    let references = try schema.tables.indices.map { number in
      usable[number]
        ? try Reference.references(
          of: number, in: schema, unique: uniqueKeys[number], connection) : []
    }
    let declared = DeclaredConstraints(
      uniqueKeys: uniqueKeys, references: references, definitions: definitions, tables: tables)
    connection.cache[DeclaredConstraints.self] = declared
    return declared
  }

  private static func definitions(_ connection: Connection) throws -> String {
    let statement = try connection.cached(
      "SELECT sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    defer { statement.reset() }
    var definitions = ""
    while try statement.step() {
      definitions += statement.string(0)
      definitions += "\n"
    }
    return definitions
  }
}
