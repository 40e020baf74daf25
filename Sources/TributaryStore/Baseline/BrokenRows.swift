import TributaryCore
import TributarySQLite

/// The rows of a baseline that the tables of a store do not allow because of their own values: the writer's
/// schema did not have the constraint.
package struct BrokenRows {
  private var rows: [RowIdentity: Resolver.Lifted] = [:]

  /// Inserts rows one by one, and keeps those that the table does not allow.
  ///
  /// - Parameter columns: the columns that `select` returns, in its order.
  mutating func fill(
    _ schema: ReplicatedSchema, _ table: TableDescription, _ columns: [String], _ insert: String,
    _ select: String, _ connection: Connection
  ) throws {
    guard let number = schema.tableNumber(named: table.name) else { return }
    let places = columns.map { column in
      table.shape.columns.firstIndex { SQLName($0) == SQLName(column) }
    }
    let defaults = try DefaultRow.values(of: table, connection)
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = try connection.prepare("\(insert) VALUES (\(marks))")
    let source = try connection.prepare(select)
    while try source.step() {
      let values = source.values
      try insertion.bind(values)
      do { try insertion.run() } catch {
        guard error.breaks(table) else { throw error }
        var row = defaults
        for (place, value) in zip(places, values) {
          if let place { row[place] = value }
        }
        rows[try table.identity(row, number: number)] = Resolver.Lifted(
          row: row, shown: row, isWritten: true)
      }
    }
  }

  /// Holds the rows and the rows that refer to them, and shows the rows that only the writer of the baseline
  /// did not allow.
  ///
  /// The next synchronisation finds out from the logs which peer wrote them.
  ///
  /// - Parameter connection: a connection to the store, on which triggers and foreign keys are off.
  package func hold(in connection: Connection, milliseconds: UInt64) throws {
    guard try !rows.isEmpty || ConflictTable(connection).hasBrokenRows() else { return }
    let schema = try ReplicatedSchema(connection, selection: TableSelection(connection))
    try connection.execute("BEGIN")
    _ = try Resolver(
      connection, ConstraintSet(connection, schema: schema), histories: { _ in [:] }
    ).resolve(rows, orphans: [], concerns: nil, milliseconds: milliseconds)
    try Settings(connection).set(.unresolved, .integer(1))
    try connection.execute("COMMIT")
  }
}
