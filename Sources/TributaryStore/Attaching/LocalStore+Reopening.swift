import TributaryCore
import TributarySQLite

extension LocalStore {
  /// Records that the container has moved.
  package func move(to container: String, contentRoot: String) throws {
    try service { connection in
      try connection.immediate {
        let settings = Settings(connection)
        try settings.set(.container, .string(container))
        try settings.set(.contentRoot, .string(contentRoot))
      }
    }
  }

  /// Records a new name for this device.
  package func rename(_ peerName: String) throws {
    guard try identity().peerName != peerName else { return }
    try service { try Settings($0).set(.peerName, .string(peerName)) }
  }

  /// Whether a choice of tables differs from the store's choice and may replace it.
  ///
  /// - Parameter migrations: the migrations that will run afterwards, which may make tables that the choice
  ///   names.
  /// - Throws: `StoreError` naming a table that does not exist, or that would start or stop being replicated
  ///   although it has been written.
  package func checkSelection(
    _ selection: TableSelection, before migrations: [Migration]
  ) throws -> Bool {
    try service { try selection.checkChange(in: $0, path: path, before: migrations) }
  }

  /// Records a choice of tables that has been checked.
  package func select(_ selection: TableSelection) throws {
    try service { connection in
      try connection.immediate {
        try selection.write(to: connection)
        // Other connections reread the tables only if the schema has changed.
        try connection.execute("CREATE TABLE tributary_renewal (x); DROP TABLE tributary_renewal")
      }
    }
  }

}

extension TableSelection {
  /// Whether the choice differs from the store's choice and may replace it.
  ///
  /// - Throws: as `LocalStore.checkSelection` does.
  package func checkChange(
    in connection: Connection, path: String, before migrations: [Migration]
  ) throws -> Bool {
    // Migrations that have run and those that will run may rename the chosen tables.
    var changes = try NameChanges(connection)
    for migration in migrations { changes.add(try migration.directives(path).names) }
    let recorded = try TableSelection(recordedIn: connection).underAllNames(changes)
    let wanted = underAllNames(changes)
    guard !wanted.isEquivalent(to: recorded) else { return false }
    let names = try SchemaReader(connection: connection).tableNames()
    for name in names where wanted.includes(name) != recorded.includes(name) {
      // The store does not have what other devices have written to a table that was left out.
      guard recorded.includes(name), try Self.isUnwritten(name, connection) else {
        throw Self.differs(name, isReplicated: recorded.includes(name), path)
      }
    }
    if try Migration.pending(migrations, in: connection).isEmpty {
      try checkNames(among: names, path: path)
      if !names.isEmpty, !names.contains(where: wanted.includes) {
        throw AttachExamination.nothingShared(names, path)
      }
    }
    return true
  }

  private static func isUnwritten(_ table: String, _ connection: Connection) throws -> Bool {
    try connection.integer("SELECT 1 FROM main.\(table.quotedIdentifier) LIMIT 1") == nil
      && !Outbox(connection).mentions(table: table)
  }

  private static func differs(_ table: String, isReplicated: Bool, _ path: String) -> StoreError {
    StoreError(
      .differentlyAttached,
      isReplicated
        ? "table \(table) has been replicated, and cannot be left out now"
        : "table \(table) was left out when the store was attached, and cannot be replicated now",
      path: path,
      remedy: "name the tables as before, or run `tributary detach`, then attach with the others")
  }

  /// Whether both mean the same tables.
  fileprivate func isEquivalent(to other: TableSelection) -> Bool {
    func folded(_ names: [String]) -> Set<SQLName> { Set(names.map { SQLName($0) }) }
    return switch (self, other) {
    case (.all, .all): true
    case (.only(let names), .only(let others)), (.except(let names), .except(let others)):
      folded(names) == folded(others)
    default: false
    }
  }

  /// Checks that the named tables exist.
  ///
  /// - Parameter tables: all existing tables; if there are none, they have yet to come from other devices.
  /// - Throws: for a name that no table has.
  package func checkNames(among tables: [String], path: String) throws {
    if let refusal = refusals(among: tables, path: path).first { throw refusal.cause }
  }

  /// Returns a refusal for each name that no table has.
  func refusals(among tables: [String], path: String) -> [AttachRefusal] {
    if tables.isEmpty { return [] }
    return names.filter { name in !tables.contains { SQLName($0) == SQLName(name) } }.map { name in
      AttachRefusal(
        StoreError(
          .unusableTable, "there is no table \(name)", path: path,
          remedy: "name tables that exist in --tables or --except"),
        table: name)
    }
  }
}
