import TributaryContainer
import TributarySQLite
import TributaryStore

/// The tables of a peer, as its file in the container says them, made without rows to be looked at.
struct PeerTables {
  let connection: Connection
  let schema: ReplicatedSchema

  /// Statements that make nothing of that kind, or cannot be run here, are passed over: they are
  /// examined where they are needed.
  ///
  /// - Parameter extensions: the SQLite extensions of the store that looks.
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

  /// A table or an index; triggers, views and virtual tables demand nothing of rows.
  private static func makesTable(_ sql: String) -> Bool {
    let words = sql.split(maxSplits: 3, whereSeparator: \.isWhitespace).map { $0.uppercased() }
    return words.first == "CREATE"
      && (words.dropFirst().first == "TABLE" || words.dropFirst().first == "UNIQUE")
  }

  /// The tables that two devices have, where the text of something differs.
  static func areTold(
    _ manifest: ManifestSchema, otherwiseThan connection: Connection
  ) throws -> Bool {
    let own = try ReplicatedSchema.statements(connection)
    return Set(manifest.sql.filter(makesTable)) != Set(own.filter(makesTable))
  }
}
