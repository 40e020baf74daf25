import TributaryCore
import TributaryMerge
import TributarySQLite
import TributaryStore

/// Resolves conflicts with ordinary transactions.
struct ConflictResolver {
  let store: LocalStore
  let environment: StoreEnvironment

  /// Resolves a conflict.
  ///
  /// - Returns: `false` if the conflict had already ended. Nothing was written then.
  func resolve(_ id: Conflict.ID, _ resolution: Resolution) throws -> Bool {
    while true {
      guard let (conflict, plan) = try prepare(id, resolution) else { return false }
      do {
        let outcome = try store.write { database in
          try settle(conflict, in: database) {
            switch resolution {
            case .keep: try keep(conflict, in: database)
            case .restore: try restore(conflict, plan, in: database)
            }
          }
        }
        switch outcome {
        case .done: return true
        case .ended: return false
        // An import has changed the conflict in between.
        case .changed: continue
        }
      } catch let error as SQLiteError where error.isRefusalOfWrite {
        throw SyncError(
          .unrestorable, "conflict \(id) cannot be resolved like that: \(error.message)",
          path: store.path,
          remedy: "change the row that stands in the way, or keep what is visible")
      }
    }
  }

  /// Resolves a conflict with what `body` writes.
  ///
  /// - Returns: what `body` returns; `nil` if the conflict had already ended, in which case `body`
  ///   was not called.
  func resolve<Result>(
    _ id: Conflict.ID, _ body: (Database) throws -> Result
  ) throws -> Result? {
    while true {
      guard let (conflict, _) = try prepare(id, .keep) else { return nil }
      var result: Result?
      let outcome = try store.write { database in
        try settle(conflict, in: database) {
          result = try body(database)
          try keepRest(of: conflict, in: database)
        }
      }
      if outcome != .changed { return result }
    }
  }

  private enum Outcome {
    case done
    case ended
    case changed
  }

  /// Looks the conflict up, and reads what is needed to restore it.
  ///
  /// - Returns: `nil` if it has ended.
  /// - Throws: `SyncError` with the code `unknownConflict`.
  private func prepare(
    _ id: Conflict.ID, _ resolution: Resolution
  ) throws -> (Conflict, RestorePlan?)? {
    try store.read { database in
      guard let conflict = try ConflictTable(database.connection).conflict(id) else {
        throw SyncError.unknownConflict(id, path: store.path)
      }
      guard conflict.ended == nil else { return nil }
      guard resolution == .restore else { return (conflict, nil) }
      let history = try LoggedRows(
        path: store.path, connection: database.connection, environment: environment)
      return (conflict, try RestorePlan(for: conflict, history))
    }
  }

  /// Writes, in a transaction that finds the conflict unchanged and ends it.
  private func settle(
    _ conflict: Conflict, in database: Database, _ write: () throws -> Void
  ) throws -> Outcome {
    let table = ConflictTable(database.connection)
    let row = try database.replicatedTable(conflict.table).identity(key: conflict.key, number: 0)
    let lasting = try table.conflicts(of: conflict.table, row: row.key)
    guard let current = lasting.first(where: { $0.id == conflict.id }) else { return .ended }
    guard current == conflict else { return .changed }
    try write()
    // The author knows both sides, so the conflict ends on every device.
    try table.end(conflict, row: row.key, milliseconds: environment.clock.milliseconds())
    return .done
  }

  // MARK: Keeping

  private func keep(_ conflict: Conflict, in database: Database) throws {
    if conflict.isHeld || conflict.kind == .delete {
      try database.settleDeletion(table: conflict.table, key: conflict.key)
    }
    if conflict.kind == .unique {
      // Another device may restore the held row at the same time, and delete these.
      for key in try Obstacle(conflict, in: database).keys() {
        try database.settleWhole(table: conflict.table, key: key)
      }
    }
    if !conflict.isHeld { try settleColumns(of: conflict, in: database) }
  }

  /// Keeps what the application's write has left of a conflict.
  private func keepRest(of conflict: Conflict, in database: Database) throws {
    // A row that nothing holds any more comes back by itself.
    if try !conflict.isHeld || isStillHeld(conflict, in: database) {
      try keep(conflict, in: database)
    }
  }

  private func isStillHeld(_ conflict: Conflict, in database: Database) throws -> Bool {
    let table = try database.replicatedTable(conflict.table)
    guard try RowReader(table).row(conflict.key, in: database.connection) == nil else {
      return false
    }
    return try !hasAllParents(conflict.values, of: table, in: database)
      || !Obstacle(conflict, in: database).keys().isEmpty
  }

  private func settleColumns(of conflict: Conflict, in database: Database) throws {
    try database.settle(
      table: conflict.table, key: conflict.key, columns: conflict.values.map(\.column))
  }

  // MARK: Restoring

  private func restore(
    _ conflict: Conflict, _ plan: RestorePlan?, in database: Database
  ) throws {
    let table = try database.replicatedTable(conflict.table)
    for row in plan?.rows ?? [] { try row.insert(into: database) }
    if conflict.isHeld {
      // Another device may keep what is visible at the same time, and delete this row.
      try database.settleWhole(
        table: conflict.table, key: conflict.key, isDemanded: conflict.kind == .unique)
    }
    switch conflict.kind {
    case .update, .insert, .delete:
      try checkIsNotHeld(conflict, table, in: database)
      try update(conflict, table, in: database)
      // A value that is already the same is stated too.
      try settleColumns(of: conflict, in: database)
    case .unique:
      try Obstacle(conflict, in: database).remove()
    case .check, .notNull, .type:
      throw SyncError(
        .unrestorable,
        "a constraint of this device does not allow the row of conflict \(conflict.id)",
        path: store.path,
        remedy: "write other values on the device that wrote the row, or settle with keep, "
          + "which deletes it, and insert it anew")
    case .foreignKey:
      let row = try RestorePlan.whole(conflict, table, database.connection)
      guard try hasAllParents(row, of: table, in: database) else {
        throw SyncError(
          .unrestorable, "the logs do not have the row to which conflict \(conflict.id) refers",
          path: store.path, remedy: "write it by hand, or keep what is visible")
      }
    }
  }

  /// Refuses to write the values of a row that is not in its table.
  private func checkIsNotHeld(
    _ conflict: Conflict, _ table: TableDescription, in database: Database
  ) throws {
    guard try RowReader(table).row(conflict.key, in: database.connection) == nil else { return }
    let row = try table.identity(key: conflict.key, number: 0)
    let other = try ConflictTable(database.connection).conflicts(of: table.name, row: row.key)
      .first { $0.isHeld }
    guard let other else { return }
    throw SyncError(
      .unrestorable, "the row of conflict \(conflict.id) is held by conflict \(other.id)",
      path: store.path, remedy: "resolve that one first, or keep what the row has")
  }

  private func update(
    _ conflict: Conflict, _ table: TableDescription, in database: Database
  ) throws {
    // A write to a counter states no value. The largest and smallest values are already there.
    let cells = conflict.values.filter { cell in
      table.policy(of: cell.column)?.takesLatest == true
    }
    if cells.isEmpty { return }
    if WriteManner(table, firesTriggers: true).looksFirst,
      let row = try RowReader(table).row(conflict.key, in: database.connection)
    {
      try database.checkAlone(table.row(row, with: cells), in: table)
    }
    let terms = cells.map { "\($0.column.quotedIdentifier) = ?" }
    let statement = try database.prepare(
      """
      UPDATE main.\(table.name.quotedIdentifier) SET \(terms.joined(separator: ", "))
      WHERE \(table.keyCondition)
      """)
    for (index, value) in (cells.map(\.value) + conflict.key).enumerated() {
      try statement.bind(value, at: index + 1)
    }
    try statement.run()
  }

  private func hasAllParents(
    _ row: [Conflict.Cell], of table: TableDescription, in database: Database
  ) throws -> Bool {
    let connection = database.connection
    let constraints = try ConstraintSet(
      connection, schema: ReplicatedSchema(connection, selection: TableSelection(connection)))
    return try constraints.references(of: table.name).allSatisfy { reference in
      let values = reference.childColumns.map {
        row.value(of: table.shape.columns[$0]) ?? .null
      }
      return try values.contains(.null) || constraints.parentExists(reference, values)
    }
  }
}

extension Database {
  /// Checks what SQLite would not refuse if the table declares other conflict clauses.
  func checkAlone(_ row: [Value], in table: TableDescription) throws {
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    guard let number = schema.tableNumber(named: table.name)
    else { return }
    try ConstraintSet(connection, schema: schema).checkAlone(row, table: number)
  }
}

extension TableDescription {
  fileprivate func policy(of column: String) -> ColumnPolicy? {
    shape.columns.firstIndex { SQLName($0) == SQLName(column) }.map { policies[$0] }
  }
}
