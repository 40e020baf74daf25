import TributaryCore
import TributarySQLite

/// A named step of an application's schema, in SQL.
public struct Migration: Equatable, Sendable {
  public var name: String
  public var sql: String

  public init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }

  /// Records that the migration has run.
  func writeDown(in connection: Connection) throws {
    try connection.cached("INSERT INTO tributary_migration (name, sql) VALUES (?, ?)")
      .run(.string(name), .string(sql))
  }

  /// Returns the migrations that have run in a store, in that order.
  public static func applied(in connection: Connection) throws -> [Migration] {
    let statement = try connection.cached("SELECT name, sql FROM tributary_migration ORDER BY id")
    defer { statement.reset() }
    var migrations: [Migration] = []
    while try statement.step() {
      migrations.append(Migration(name: statement.string(0), sql: statement.string(1)))
    }
    return migrations
  }

  /// Returns the migrations of `wanted` that have not run yet.
  ///
  /// - Throws: if the migrations that have run are not a prefix of `wanted`.
  public static func pending(
    _ wanted: [Migration], in connection: Connection
  ) throws -> [Migration] {
    let applied = try applied(in: connection)
    guard !wanted.isEmpty else { return [] }
    try checkNames(wanted, connection.path)
    for (index, migration) in applied.enumerated() {
      // A newer version of the application has run later migrations on this store.
      guard index < wanted.count else { break }
      guard wanted[index] == migration else {
        let isSameName = wanted[index].name.utf8.elementsEqual(migration.name.utf8)
        throw StoreError(
          .migration,
          isSameName
            ? "the text of migration \(migration.name) is not the one that has run here"
            : "migration \(index + 1) that has run here is \(migration.name), not \(wanted[index].name)",
          path: connection.path,
          remedy:
            "give the migrations that have run, unchanged and in order, and new ones after them")
      }
    }
    return Array(wanted.dropFirst(applied.count))
  }

  /// Runs migrations on a database that is not a store yet.
  ///
  /// - Throws: an error that names the failed migration.
  public static func run(_ migrations: [Migration], in connection: Connection) throws {
    try checkNames(migrations, connection.path)
    for migration in migrations {
      do {
        try connection.execute(migration.sql)
      } catch {
        throw failure(migration, error, connection.path)
      }
    }
  }

  private static func checkNames(_ migrations: [Migration], _ path: String) throws {
    var names: Set<[UInt8]> = []
    for migration in migrations where !names.insert(Array(migration.name.utf8)).inserted {
      throw StoreError(
        .migration, "two migrations have the name \(migration.name)", path: path,
        remedy: "give each migration a name of its own")
    }
  }

  static func failure(
    _ migration: Migration, _ error: SQLiteError, _ path: String
  ) -> StoreError {
    StoreError(
      .migration, "migration \(migration.name) failed: \(error.message)", path: path,
      remedy: error.isUniqueViolation
        // Other devices keep adding such rows until they have the constraint too.
        ? "change or delete one of the rows that have the same values there, or fix the migration, then run it "
          + "again; nothing of it has been kept"
        : "fix the migration; nothing of it has been kept")
  }

  /// Whether migrations make exactly the tables that a database has.
  public static func make(
    _ migrations: [Migration], theTablesOf connection: Connection
  ) throws -> Bool {
    let scratch = try Connection(
      path: ":memory:", mode: .create, extensions: connection.extensions)
    try run(migrations, in: scratch)
    return try ReplicatedSchema(scratch, selection: .all).name
      == ReplicatedSchema(connection, selection: .all).name
  }
}

extension LocalStore {
  /// Runs the migrations that have not run yet, each together with its record in one transaction.
  ///
  /// - Parameter merge: declarations about tables, including those that the migrations make.
  /// - Throws: an error that names the failed migration; the ones before it stay.
  public func migrate(_ migrations: [Migration], declaring merge: MergeOptions? = nil) throws {
    for migration in try service({ try Migration.pending(migrations, in: $0) }) {
      do {
        try write { database in
          try database.execute(migration: migration.sql)
          try database.writeDown(migration)
          // Before anything is recorded about the new tables.
          if let merge { try database.declare(merge) }
        }
      } catch let error as SQLiteError {
        throw Migration.failure(migration, error, path)
      }
    }
  }
}

extension Database {
  fileprivate func writeDown(_ migration: Migration) throws {
    try migration.writeDown(in: connection)
  }
}
