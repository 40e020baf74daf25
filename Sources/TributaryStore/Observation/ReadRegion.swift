import TributaryCore
import TributarySQLite

/// The tables that a read depends on.
package struct ReadRegion: Sendable {
  /// The tables, including those in which any virtual tables among them keep their rows.
  package private(set) var tables: Set<SQLName> = []
  /// Whether some of them are not replicated, so that no record shows their changes.
  package private(set) var hasUnreplicatedTables = false

  package init() {}

  /// - Parameter names: the tables, with or without those of the bookkeeping and the schema.
  init(_ names: Set<SQLName>, _ connection: Connection) throws {
    tables = names.filter {
      !$0.hasPrefix(SQLName.bookkeepingPrefix) && !$0.hasPrefix("sqlite_")
    }
    let known = try KnownTables.present(connection)
    for name in tables where known.virtual.contains(name) {
      tables.formUnion(known.shadows.filter { $0.hasPrefix(name.text + "_") })
    }
    hasUnreplicatedTables = !tables.isSubset(of: known.replicated)
  }

  /// Whether a change of these tables concerns the read.
  package func contains(anyOf changed: some Sequence<SQLName>) -> Bool {
    changed.contains { tables.contains($0) }
  }

  static func check(_ name: String, _ connection: Connection) throws {
    let type = try connection.cached(
      "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE")
    defer { type.reset() }
    try type.bind([.string(name)])
    guard try type.step() else {
      throw StoreError(
        .misuse, "there is no table \(name) to observe", path: connection.path,
        remedy: "name tables of the database, or none: then those count that the body reads")
    }
    guard type.string(0) != "view" else {
      throw StoreError(
        .misuse, "\(name) is a view, and only tables can be observed", path: connection.path,
        remedy: "name the tables that it reads, or none: then those count that the body reads")
    }
  }
}

/// The tables of a database by their kind, at one version of its schema.
private struct KnownTables: Sendable {
  var version: Int64
  var replicated: Set<SQLName>
  var virtual: Set<SQLName>
  var shadows: [SQLName]

  static func present(_ connection: Connection) throws -> KnownTables {
    let version = try connection.integer("PRAGMA main.schema_version") ?? 0
    if let known = connection.cache[KnownTables.self], known.version == version { return known }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    var known = KnownTables(
      version: version,
      replicated: Set(schema.tables.filter { $0.refusal == nil }.map { SQLName($0.name) }),
      virtual: [], shadows: [])
    let statement = try connection.cached(
      "SELECT type, name FROM pragma_table_list WHERE schema = 'main'")
    defer { statement.reset() }
    while try statement.step() {
      switch statement.string(0) {
      case "virtual": known.virtual.insert(SQLName(statement.string(1)))
      case "shadow": known.shadows.append(SQLName(statement.string(1)))
      default: break
      }
    }
    connection.cache[KnownTables.self] = known
    return known
  }
}
