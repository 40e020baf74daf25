import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// Checks, before a commit, whether the rows that it changed refer to existing rows, and whether other rows
/// still refer to their former values.
///
/// SQLite itself instead counts the violations of the open transaction. Some releases (3.40 among them) count
/// wrongly when an update gives a row the key to which the row itself refers: they subtract a violation that
/// did not exist, and then commit another one. They also count wrongly where a row refers to its own table by
/// a foreign key with SET NULL or SET DEFAULT and a statement replaces rows, or might. Only such transactions
/// are checked, and those written with foreign keys switched off, such as the dump of a database.
struct ForeignKeyCheck {
  let schema: ReplicatedSchema
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  /// A connection that sees the last commit.
  let before: Connection
  /// A connection that sees the open transaction.
  let now: Connection

  /// Checks the changed rows.
  ///
  /// - Throws: `SQLiteError` naming the row.
  /// - Complexity: a few searches per change, one of them a scan if no index helps with a reference, as in
  ///   SQLite itself.
  func run(_ changes: UnsafeRawBufferPointer) throws {
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let shape = registry.shapes[change.shapeID],
        let number = schema.tableNumber(named: shape.table)
      else { continue }
      let rows = RowReader(schema.tables[number])
      let key = try shape.key(change.operation, image: change.image)
      let row = try rows.row(key, in: now)
      if let row { try checkReferences(of: row, table: number) }
      do {
        guard let old = try rows.row(key, in: before) else { continue }
        try checkReferences(to: old, table: number)
      } catch let error as SQLiteError where error.primaryCode == SQLITE_ERROR {
        // The table, or one of its columns, did not exist before: all rows that refer to it are checked.
        try checkReferences(to: nil, table: number)
      }
    }
  }

  private func checkReferences(of row: [Value], table: Int) throws {
    for reference in constraints.references[table] {
      if let values = reference.values(row), try !constraints.parentExists(reference, values) {
        throw try violation(reference, row)
      }
    }
  }

  /// Checks that rows that referred to a row's former values now refer to another row.
  ///
  /// - Parameter old: the former row; `nil` if it is unknown.
  private func checkReferences(to old: [Value]?, table: Int) throws {
    for (child, position) in constraints.referring[table] {
      let reference = constraints.references[child][position]
      if let old, let positions = reference.parentPositions {
        let values = positions.map { old[$0] }
        if try values.contains(.null) || constraints.parentExists(reference, values) { continue }
        try expectNone(reference, reference.children(schema.tables[child]), values)
      } else {
        // This also applies if SQLite computes the key.
        try expectNone(reference, reference.orphans(schema.tables[child]), [])
      }
    }
  }

  private func expectNone(_ reference: Reference, _ sql: String, _ values: [Value]) throws {
    let statement = try now.cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    if try statement.step() { throw try violation(reference, statement.values) }
  }

  private func violation(_ reference: Reference, _ row: [Value]) throws -> SQLiteError {
    let child = schema.tables[reference.child]
    let quoting = try now.cached("SELECT quote(?)")
    let key = try child.shape.keys.map { key in
      defer { quoting.reset() }
      try quoting.bind([row[key.column]])
      _ = try quoting.step()
      return quoting.string(0)
    }
    return SQLiteError(
      code: SQLiteError.foreignKeyViolation,
      message:
        "FOREIGN KEY constraint failed: the row (\(key.joined(separator: ", "))) of table \(child.name) "
        + "refers to a row of \(reference.parentName) that does not exist", path: now.path)
  }
}
