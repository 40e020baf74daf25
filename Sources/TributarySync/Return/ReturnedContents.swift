import TributaryCore
import TributarySQLite
import TributaryStore

/// Gives a store the contents of another file in one transaction: rows and bookkeeping, as far as they are
/// shared or record what the store has published.
///
/// Programs that have the store open keep it. What is not replicated stays, and so does what only this device
/// knows.
struct ReturnedContents {
  /// A connection to the store.
  let connection: Connection
  /// The path of the other file.
  let path: String

  private static let name = "tributary_returned"

  /// The bookkeeping that is replaced as a whole.
  private static let tables = [
    "outbox", "outbox_piece", "segment", "former", "withdrawal", "knowledge", "peer", "held",
    "claim", "birth", "refusal",
  ]

  /// The settings that are replaced.
  private static var settings: [Settings.Key] {
    [
      .peer, .nextPeer, .left, .examined, .numberings, .unresolved, .horizon, .horizonNotes,
      .horizonsBefore, .removed, .firstTime, .corrections, .missedCorrections, .clock, .names,
      .migrated, .reissued, .retired,
    ]
  }

  /// Replaces the contents.
  ///
  /// - Parameter isUnchanged: whether the store is still what the other file was made from. Called in the
  ///   transaction.
  /// - Parameter commit: commits the transaction.
  /// - Returns: `false` if the store has changed. Nothing has been replaced then.
  func install(
    isUnchanged: () throws -> Bool, commit: () throws -> Void
  ) throws -> Bool {
    try ImportTriggers(connection).renew()
    let source = try newSchema()
    try connection.execute("ATTACH \(path.quotedLiteral) AS \(Self.name)")
    defer {
      connection.rollBack()
      // All statements that use the file are finished, so this cannot fail.
      try? connection.execute("DETACH \(Self.name)")
    }
    try connection.beginImmediate()
    guard try isUnchanged() else { return false }
    if let source {
      _ = try SchemaTaking(source, into: connection)
      try ImportTriggers(connection).renew()
    }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    for table in schema.tables where table.refusal == nil { try replaceRows(of: table) }
    for table in Self.tables {
      try connection.execute(
        """
        DELETE FROM main.tributary_\(table);
        INSERT INTO main.tributary_\(table) SELECT * FROM \(Self.name).tributary_\(table)
        """)
    }
    try connection.execute(
      """
      DELETE FROM main.tributary_conflict WHERE ended = 0;
      INSERT INTO main.tributary_conflict
      SELECT * FROM \(Self.name).tributary_conflict WHERE ended = 0;
      INSERT INTO main.tributary_shape SELECT * FROM \(Self.name).tributary_shape EXCEPT
      SELECT * FROM main.tributary_shape;
      INSERT INTO main.tributary_schema SELECT * FROM \(Self.name).tributary_schema EXCEPT
      SELECT * FROM main.tributary_schema
      """)
    for key in Self.settings {
      let key = Value.string(key.rawValue)
      try connection.prepare("DELETE FROM main.tributary_store WHERE key = ?").run(key)
      try connection.prepare(
        """
        INSERT INTO main.tributary_store
        SELECT * FROM \(Self.name).tributary_store WHERE key = ?
        """
      ).run(key)
    }
    try commit()
    return true
  }

  /// Returns the schema of the other file, if it has taken something from the schemas of others.
  private func newSchema() throws -> SchemaSource? {
    let other = try Connection(path: path, mode: .readWrite)
    defer { other.close() }
    let count = try FollowedSchema(connection).statements().count
    return try FollowedSchema(other).statements().count > count ? SchemaSource(other) : nil
  }

  /// Replaces the rows that differ. Nothing else is written, and no index is rebuilt.
  private func replaceRows(of table: TableDescription) throws {
    let name = table.name.quotedIdentifier
    let columns = table.shape.columns.map(\.quotedIdentifier)
    let key = zip(table.shape.keys, table.keyTerms).map { part, term in
      "s.\(columns[part.column]) = m.\(term)"
    }.joined(separator: " AND ")
    let isSame = columns.map {
      "m.\($0) IS s.\($0) COLLATE BINARY AND typeof(m.\($0)) = typeof(s.\($0))"
    }.joined(separator: " AND ")
    // Rows that another program wrote without a key are not replicated, and stay.
    let hasKey = table.keyTerms.map { "m.\($0) IS NOT NULL" }.joined(separator: " AND ")
    try connection.execute(
      """
      DELETE FROM main.\(name) AS m WHERE \(hasKey) AND NOT EXISTS (
        SELECT 1 FROM \(Self.name).\(name) AS s WHERE \(key) AND \(isSame))
      """)
    let manner = try WriteManner(table, importingOn: connection)
    try connection.execute(
      """
      INSERT\(manner.clause) INTO main.\(name) (\(columns.joined(separator: ", ")))
      SELECT \(columns.map { "s.\($0)" }.joined(separator: ", ")) FROM \(Self.name).\(name) AS s
      WHERE NOT EXISTS (SELECT 1 FROM main.\(name) AS m WHERE \(key))
      """)
  }
}
