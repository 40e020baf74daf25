import TributaryCore
import TributarySQLite

/// The migrations whose results a store already has: it has taken the tables from other devices, or had them
/// when it was attached. They need not run, and could not.
struct MadeMigrations {
  /// The names of the migrations that change the schema, and whether each writes rows into tables without
  /// any.
  private var writesRows: [String: Bool] = [:]

  /// What the store lacks of everything that the migrations make, if none has run in it and it has tables;
  /// each as a phrase.
  private(set) var lacking: [String] = []

  /// Finds the migrations.
  ///
  /// - Parameter migrations: all migrations of the application, of which some have not run.
  init(_ migrations: [Migration], in connection: Connection) throws {
    // Only the application knows what a closure does.
    guard try Self.mayHave(connection), migrations.allSatisfy({ $0.apply == nil }) else { return }
    let scratch = try Connection(
      path: ":memory:", mode: .create, extensions: connection.extensions)
    var names = NameChanges()
    var statements: [String] = []
    var found: [String: Bool] = [:]
    for migration in migrations {
      let count = try scratch.integer("SELECT total_changes()")
      // A migration that fails here also fails in the store, and reports it there.
      do { try migration.run(in: scratch, after: &names) } catch { return }
      let now = try SchemaObject.all(in: scratch).map(\.sql)
      if now != statements {
        found[migration.name] = try scratch.integer("SELECT total_changes()") != count
      }
      statements = now
    }
    let source = SchemaSource(
      statements: statements, replicated: [], merge: MergeOptions(), copies: [],
      numbers: try scratch.headerNumbers())
    let differences = try SchemaComparison(source, to: connection).differences
    if differences.isEmpty {
      writesRows = found
    } else if try Migration.applied(in: connection).isEmpty {
      lacking = differences.map(\.text)
    }
  }

  private static func mayHave(_ connection: Connection) throws -> Bool {
    try !FollowedSchema(connection).statements().isEmpty
      || Migration.applied(in: connection).isEmpty && !SchemaTables.areNone(in: connection)
  }

  /// Whether a migration need not run.
  ///
  /// - Parameter isWritten: whether its rows come from another device.
  func contains(_ migration: Migration, isWritten: () throws -> Bool) rethrows -> Bool {
    guard let writes = writesRows[migration.name] else { return false }
    return try !writes || isWritten()
  }
}
