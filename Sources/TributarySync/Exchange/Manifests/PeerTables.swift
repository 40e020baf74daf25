import TributaryContainer
import TributarySQLite
import TributaryStore

/// The tables of a peer, created without rows from its file in the container so that they can be examined.
struct PeerTables {
  let connection: Connection
  let schema: ReplicatedSchema

  /// Creates the tables. Skips statements that create no tables or indexes, or cannot run here: they are
  /// examined where they are needed.
  ///
  /// - Parameter extensions: the SQLite extensions of the store that asks.
  init(_ manifest: ManifestSchema, extensions: [String] = []) throws {
    connection = try Connection(
      path: ":memory:", mode: .create, classifies: true, extensions: extensions)
    connection.classifier?.protectsBookkeeping = true
    for sql in manifest.sql where Self.makesTable(sql) {
      do {
        let statement = try connection.prepare(sql)
        guard statement.kind == .schema, statement.parameterCount == 0 else { continue }
        try statement.run()
      } catch {
        continue
      }
    }
    schema = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
  }

  /// Whether a statement creates a table or an index. Triggers, views and virtual tables put no constraints
  /// on rows.
  private static func makesTable(_ sql: String) -> Bool {
    let words = sql.split(maxSplits: 3, whereSeparator: \.isWhitespace).map { $0.uppercased() }
    return words.first == "CREATE"
      && (words.dropFirst().first == "TABLE" || words.dropFirst().first == "UNIQUE")
  }

  /// Whether a peer states tables or indexes whose definitions differ in their text from those of this
  /// database.
  static func areTold(
    _ manifest: ManifestSchema, otherwiseThan connection: Connection
  ) throws -> Bool {
    let own = try ReplicatedSchema.statements(connection)
    return Set(manifest.sql.filter(makesTable)) != Set(own.filter(makesTable))
  }
}
