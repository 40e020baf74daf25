import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension AttachRequest {
  /// Creates the tables of a database that has none: those of the migrations or, if there are none, those of
  /// the other devices.
  ///
  /// - Parameter connection: a connection that classifies statements.
  /// - Returns: the statements that could not be run; see `SchemaStatements.run`.
  /// - Throws: `SyncError` with the code `logsMissing` if neither provides any tables.
  func makeTables(
    _ shared: ManifestSchema?, in connection: Connection, _ directory: ContentDirectory
  ) throws -> [String] {
    if !migrations.isEmpty {
      try Migration.run(migrations, in: connection)
      return []
    } else if let shared {
      return try SchemaStatements.run(shared, in: connection)
    } else {
      throw SyncError(
        .logsMissing, "no peer.json in the container says what tables there are",
        path: directory.peers, remedy: "wait until the carrier has brought one, or give --schema")
    }
  }

  /// Checks that the migrations, if there are any, have created the tables of a database.
  func checkMigrations(_ connection: Connection) throws {
    guard try migrations.isEmpty || Migration.make(migrations, theTablesOf: connection) else {
      throw StoreError(
        .migration,
        "the tables of the database are not those that the migrations make"
          + (try Migration.differences(migrations, from: connection)),
        path: store,
        remedy:
          "attach with only those migrations that made the database as it is, and then again with all; or make the "
          + "database what the migrations make, and attach again; or attach without a schema, and with one when the "
          + "store has all that the migrations make")
    }
  }

  /// Returns the choice of replicated tables: the requested ones or, if none are requested, all except those
  /// that the other devices have and do not replicate.
  func selection(_ shared: ManifestSchema?, in connection: Connection) throws -> TableSelection {
    if let tables { return tables }
    return try shared?.selection(in: connection) ?? .all
  }
}

extension ManifestSchema {
  /// Returns all tables of a database except those that the other devices have and do not
  /// replicate.
  func selection(in connection: Connection) throws -> TableSelection {
    let replicated = Set(tables.map { SQLName($0) })
    let others = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
      .tables.filter {
        !replicated.contains(SQLName($0.name)) && contains(sql: $0.sql)
      }.map(\.name)
    return others.isEmpty ? .all : .except(others)
  }

  /// `String` would consider different spellings of a name equal.
  fileprivate func contains(sql text: String) -> Bool {
    sql.contains { $0.utf8.elementsEqual(text.utf8) }
  }
}
