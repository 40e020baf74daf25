import TributaryCore
import TributaryLog
import TributarySQLite

/// Finds out whether the changes of a commit may concern rows that are held, or that show other values than
/// those they refer to. Most commits concern none, however many such rows there are.
struct CommitConcern {
  private let connection: Connection
  private let constraints: ConstraintSet
  /// The tables that depend on tables with such rows, by the number of their shape.
  private let tables: [UInt32: Int]
  /// For each table, whether a column is part of a reference.
  private let refers: [[Bool]]

  /// Reads which tables have such rows.
  ///
  /// - Complexity: a few searches per table.
  init(
    _ connection: Connection, _ constraints: ConstraintSet, shapeNumbers: [SQLName: UInt32]
  ) throws {
    self.connection = connection
    self.constraints = constraints
    let schema = constraints.schema
    let connected = constraints.connected(
      try schema.tables.map { try HeldTable.isThere(of: $0.name, connection) })
    var tables: [UInt32: Int] = [:]
    for (number, table) in schema.tables.enumerated() where connected[number] {
      if let shape = shapeNumbers[SQLName(table.name)] { tables[shape] = number }
    }
    self.tables = tables
    refers = schema.tables.indices.map { table in
      schema.tables[table].shape.columns.indices.map { column in
        constraints.references[table].contains { $0.childColumns.contains(column) }
      }
    }
  }

  /// Whether the changes may concern such rows.
  ///
  /// - Parameter changes: the captured changes, or their net effect.
  /// - Complexity: a few searches for each change that constraints depend on.
  func mayExist(
    in changes: UnsafeRawBufferPointer, layout: (UInt32) -> ShapeLayout?
  ) throws -> Bool {
    if tables.isEmpty { return false }
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: layout) {
      if let table = tables[change.shapeID], try concerns(change, table) { return true }
    }
    return false
  }

  private func concerns(_ change: ChangeView, _ number: Int) throws -> Bool {
    let table = constraints.schema.tables[number]
    if change.operation == .update {
      var isPlain = true
      var cursor = change.values
      for column in table.shape.columns.indices where try cursor.next().kind != .absent {
        if table.shape.keys.contains(where: { $0.column == column }) { continue }
        if constraints.mayConcernOthers(table: number, column: column) || refers[number][column] {
          isPlain = false
        }
      }
      if isPlain { return false }
    }
    let key = try table.shape.key(change.operation, image: change.image)
    // The row is refused later.
    if key.contains(.null) { return false }
    let identity = try table.identity(key: key, number: number)
    let held = HeldTable(connection, schema: constraints.schema)
    let claims = ClaimTable(connection, schema: constraints.schema)
    if try held.entry(identity) != nil || !claims.subjects(of: identity).isEmpty { return true }
    var concerns = Concerns()
    try concerns.addChange(
      table: number, key: key, isNew: change.operation == .insert,
      row: change.operation == .delete ? nil : RowReader(table).row(key, in: connection),
      constraints)
    return try concerns.subjects.contains { try !claims.rows(with: $0).isEmpty }
      || concerns.references.contains { try !claims.rows(with: $0).isEmpty }
  }
}
