import TributaryCore
import TributarySQLite

/// The existing tables that the store does not share because of the user's choice.
struct LeftOutTables {
  private var names: Set<SQLName> = []
  /// All tables, shared or not.
  private var all: Set<SQLName> = []

  /// Makes an empty set, for a store that shares all tables.
  init() {}

  /// Reads the tables.
  ///
  /// - Parameter changes: what the migration that is running renames.
  init(_ connection: Connection, renaming changes: [NameChange]) throws {
    let selection = try TableSelection(declaredIn: connection, renaming: changes)
    if selection == .all { return }
    all = try Set(SchemaReader(connection: connection).tableNames().map { SQLName($0) })
    names = all.filter { !selection.includes($0.text) }
  }

  /// Checks that a statement has not renamed one of these tables so that its rows would be shared.
  ///
  /// - Parameters:
  ///   - former: the tables before the statement.
  ///   - shared: the shared tables after it.
  ///   - earlier: the shared tables before the statement and before the transaction: rebuilt tables take
  ///     their names.
  /// - Throws: `StoreError` with the code `schemaChange`.
  func check(
    since former: LeftOutTables, shared: ReplicatedSchema, before earlier: [ReplicatedSchema],
    path: String
  ) throws {
    guard let gone = former.names.first(where: { !all.contains($0) }),
      let new = shared.tables.first(where: { table in
        !former.all.contains(SQLName(table.name))
          && earlier.allSatisfy { $0.table(named: table.name) == nil }
      })
    else { return }
    throw StoreError(
      .schemaChange,
      "table \(gone), which is left out, would be renamed to \(new.name), and its rows would be shared",
      path: path,
      remedy:
        "declare it in a migration (`-- tributary: rename \(gone) to \(new.name)`), and it stays left out; or make a "
        + "new table, and copy what is to be shared")
  }
}
