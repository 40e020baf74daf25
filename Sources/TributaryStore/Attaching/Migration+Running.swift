import TributaryCore
import TributarySQLite

extension Migration {
  /// Returns the migrations of `wanted` that have not run yet.
  ///
  /// - Throws: if the migrations that have run are not a prefix of `wanted`.
  package static func pending(
    _ wanted: [Migration], in connection: Connection
  ) throws -> [Migration] {
    let applied = try applied(in: connection)
    guard !wanted.isEmpty else { return [] }
    try check(wanted, connection.path)
    for (index, migration) in applied.enumerated() {
      // A newer version of the application has run later migrations on this store.
      guard index < wanted.count else { break }
      let isSameName = wanted[index].name.utf8.elementsEqual(migration.name.utf8)
      // A migration that came with the tables of another device is known by its name alone.
      guard wanted[index] == migration || isSameName && migration.sql.isEmpty else {
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

  /// The name of running migrations in progress reports.
  static let stage = "migrating"

  /// Runs migrations on a database that is not a store yet.
  ///
  /// - Parameter work: reports each migration before it runs.
  /// - Throws: an error that names the failed migration.
  package static func run(
    _ migrations: [Migration], in connection: Connection, _ work: LongWork = LongWork()
  ) throws {
    try check(migrations, connection.path)
    var names = NameChanges()
    for (index, migration) in migrations.enumerated() {
      try work.note(Self.stage, index, of: migrations.count)
      do {
        try migration.run(in: connection, after: &names)
      } catch let error as SQLiteError {
        throw migration.failure(error, connection)
      } catch let error as StoreError {
        throw migration.failure(error)
      }
    }
  }

  /// Runs the migration, and checks its declarations.
  ///
  /// - Parameter names: what the migrations before it have declared; the declarations of this one are added.
  func run(in connection: Connection, after names: inout NameChanges) throws {
    let declared = try directives(connection.path).names
    names.add(declared)
    if names.isEmpty { return try carryOut(in: connection) }
    let given = GivenUpNames(names, path: connection.path)
    try given.check(declared)
    let before = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
    try carryOut(in: connection)
    let after = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
    try NameChange.check(declared, against: after, path: connection.path)
    try given.check(after, since: before)
  }

  private func carryOut(in connection: Connection) throws {
    guard let apply else { return try connection.execute(sql) }
    let database = Database(reader: connection)
    defer { database.close() }
    try connection.atomic { try apply(database) }
  }

  /// Checks names and directives.
  private static func check(_ migrations: [Migration], _ path: String) throws {
    var names: Set<[UInt8]> = []
    for migration in migrations {
      guard names.insert(Array(migration.name.utf8)).inserted else {
        throw StoreError(
          .migration, "two migrations have the name \(migration.name)", path: path,
          remedy: "give each migration a name of its own")
      }
      _ = try migration.directives(path)
    }
  }

  /// Returns an error that names the migration, for a statement that is not allowed in it.
  func failure(_ error: StoreError) -> StoreError {
    guard error.code == .transactionControl else { return error }
    var error = error
    error.message = "migration \(name) failed: \(error.message)"
    error.remedy =
      "leave BEGIN and COMMIT out: each migration is a transaction; nothing of it has been kept"
    return error
  }

  /// Checks that a migration may count as run. A store with both names of something that it renames would
  /// keep in two places what the others keep in one.
  func checkNames(in connection: Connection) throws {
    guard let change = try renamingOfTwo(in: connection) else { return }
    throw StoreError(
      .migration,
      "migration \(name) declares `\(change)`, but the store has what it renames under both names",
      path: connection.path, remedy: Self.remedyForTwo)
  }

  /// Returns a declaration if the store has both of its names; `nil` if there is none.
  private func renamingOfTwo(in connection: Connection) throws -> NameChange? {
    let declared = try directives(connection.path).names
    if declared.isEmpty { return nil }
    let schema = try ReplicatedSchema(connection, selection: .all, merge: MergeOptions())
    return declared.first { $0.hasBothNames(in: schema) }
  }

  private static let remedyForTwo =
    "run `tributary detach`, move the file aside, and attach with the migrations and without the file, which makes the "
    + "tables from the logs"

  /// Returns an error that names the migration, for an error of SQLite.
  ///
  /// - Parameter connection: one that sees the database as it was before the migration.
  /// - Parameter lacking: what the store lacks of everything that the migrations make, if it got its tables
  ///   from elsewhere.
  func failure(
    _ error: SQLiteError, _ connection: Connection, lacking: [String] = []
  ) -> StoreError {
    // The search only adds to the remedy: an error in it must not replace SQLite's reason. If it cannot find
    // anything out, the remedy is only more general; the error itself must be reported.
    let rows = (try? RepeatedRows(for: error, in: connection)).flatMap { $0 }
    let remedy =
      if error.isUniqueViolation {
        // Other devices keep adding such rows until they have the constraint too.
        "change or delete one of the rows that have the same values there"
          + (rows.map { " (\($0))" } ?? "") + ", or fix the migration, then run it again"
      } else if error.resultCode == SQLiteError.foreignKeyViolation {
        "write or delete that row, or write the one to which it refers, or fix the migration, then run it again"
      } else if error.isOfStatement, (try? renamingOfTwo(in: connection)).flatMap({ $0 }) != nil,
        (try? Settings.exist(in: connection)) == true
      {
        "the store has what it renames under both names: \(Self.remedyForTwo)"
      } else if error.isOfStatement, !lacking.isEmpty {
        "the store has its tables from elsewhere: with `tributary sql`, make it what the migrations make (here is the "
          + "store, there what they make: \(lacking.joined(separator: "; "))), and run them again, which counts them as "
          + "run; or fix the migration"
      } else {
        "fix the migration"
      }
    return StoreError(
      .migration,
      "migration \(name) failed: \(error.message)", path: connection.path,
      remedy: "\(remedy); nothing of it has been kept")
  }

  /// Whether migrations make exactly the tables that a database has.
  package static func make(
    _ migrations: [Migration], theTablesOf connection: Connection
  ) throws -> Bool {
    let scratch = try Connection(
      path: ":memory:", mode: .create, extensions: connection.extensions)
    try run(migrations, in: scratch)
    return try ReplicatedSchema(scratch, selection: .all).name
      == ReplicatedSchema(connection, selection: .all).name
  }

  /// Returns how the tables that migrations make differ from those of a database, as the end of a sentence.
  package static func differences(
    _ migrations: [Migration], from connection: Connection
  ) throws -> String {
    let scratch = try Connection(
      path: ":memory:", mode: .create, extensions: connection.extensions)
    try run(migrations, in: scratch)
    let source = SchemaSource(
      statements: try SchemaObject.all(in: scratch).map(\.sql), replicated: [],
      merge: MergeOptions(), copies: [], numbers: try scratch.headerNumbers())
    let comparison = try SchemaComparison(source, to: connection)
    let texts = (comparison.differences + comparison.extras).map(\.text)
    return texts.isEmpty
      ? "" : " (here is the database, there what they make: \(texts.joined(separator: "; ")))"
  }

  /// Records migrations that have run on the device from which a store has taken all its tables. Their texts
  /// are not known.
  package static func writeDown(names: [String], in connection: Connection) throws {
    for name in names {
      try connection.cached("INSERT OR IGNORE INTO tributary_migration (name, sql) VALUES (?, '')")
        .run(.string(name))
    }
  }

  /// Records migrations that have run in a database that becomes a store, and their declarations about names.
  static func writeDown(_ migrations: [Migration], in connection: Connection) throws {
    var names = try NameChanges(connection)
    for migration in migrations {
      try migration.writeDown(in: connection)
      names.add(try migration.directives(connection.path).names)
    }
    if !names.isEmpty { try names.write(to: connection) }
  }
}
