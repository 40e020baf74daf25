import TributaryCore
import TributarySQLite
import TributaryStore

/// The rows of a store with all their values, whether or not the constraints allow the store to show them.
final class ShownRows {
  private let connection: Connection
  private let schema: ReplicatedSchema
  private let table: HeldTable
  private var readers: [Int: RowReader] = [:]
  private var held: [Int: [[UInt8]: [Value]]] = [:]
  private var hidden: [Int: [[UInt8]: [Conflict.Cell]]] = [:]
  /// Rows that differ from the store's; `nil` for rows that are gone.
  private var changed: [RowIdentity: [Value]?] = [:]

  init(_ connection: Connection, _ schema: ReplicatedSchema) {
    self.connection = connection
    self.schema = schema
    table = HeldTable(connection, schema: schema)
  }

  /// Returns a row; `nil` if there is none.
  func row(_ identity: RowIdentity) throws -> [Value]? {
    if let row = changed[identity] { return row }
    let number = identity.table
    if let row = try held(number)[identity.key] { return row }
    let description = schema.tables[number]
    let reader = readers[number] ?? RowReader(description)
    readers[number] = reader
    guard let row = try reader.row(description.keyValues(identity.key), in: connection)
    else { return nil }
    guard let cells = try hidden(number)[identity.key] else { return row }
    return description.row(row, with: cells)
  }

  /// Changes a row here, but not in the store.
  func apply(_ change: RowHistory.Change, to identity: RowIdentity) throws {
    let table = schema.tables[identity.table]
    let defaults = try DefaultRow.values(of: table, connection)
    var present = try row(identity)
    if present == nil, change.operation == .update {
      // Its author still saw the row. Its other values are unknown.
      var values = defaults
      let key = try table.keyValues(identity.key)
      for (place, part) in table.shape.keys.enumerated() { values[part.column] = key[place] }
      present = values
    }
    changed[identity] = .some(change.applied(to: present, of: table, defaults: defaults))
  }

  /// Passes on all rows of a table, as the store has them.
  func forEach(of number: Int, _ body: ([Value]) throws -> Void) throws {
    for row in try held(number).values { try body(row) }
    let description = schema.tables[number]
    let columns = description.shape.columns.map { "r.\($0.quotedIdentifier)" }
    let statement = try connection.prepare(
      """
      SELECT \(columns.joined(separator: ", "))
      FROM main.\(description.name.quotedIdentifier) AS r
      """)
    while try statement.step() { try body(statement.values) }
  }

  private func held(_ number: Int) throws -> [[UInt8]: [Value]] {
    if let known = held[number] { return known }
    let rows = try table.heldRows(of: number)
    held[number] = rows
    return rows
  }

  private func hidden(_ number: Int) throws -> [[UInt8]: [Conflict.Cell]] {
    if let known = hidden[number] { return known }
    let cells = try table.hiddenCells(of: number)
    hidden[number] = cells
    return cells
  }
}
