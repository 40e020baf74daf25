import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Reads numberings from the images of inserts as they are in the logs, since the meaning of their numbers
/// may change.
final class NumberingReader {
  private let schema: ReplicatedSchema
  private let roots: KeyRoots
  private let connection: Connection
  /// For each table, as far as they were requested.
  private var defaultRows: [Int: [Value]] = [:]

  init(_ schema: ReplicatedSchema, _ roots: KeyRoots, _ connection: Connection) {
    self.schema = schema
    self.roots = roots
    self.connection = connection
  }

  /// Returns the numbering of an inserted row.
  ///
  /// - Parameter takesOver: whether it is a takeover.
  func numbering(
    _ logged: UnsafeRawBufferPointer, _ mapping: TableMapping, by transaction: BatchTransaction,
    takesOver: Bool = false
  ) throws -> Numbering {
    let table = Int(mapping.tableNumber)
    let cells = try mapping.cells(.insert, logged)
    let key = schema.tables[table].shape.keys[0].column
    let standsAlone = schema.tables[table].keepsEqualRowsApart
    return Numbering(
      table: table, number: cells[key].integer, transaction: transaction,
      content: takesOver
        ? nil
        : try content(logged, mapping, cells, standsAlone: standsAlone, by: transaction.side),
      standsAlone: standsAlone,
      identity: try identity(logged, mapping, cells, transaction.mark))
  }

  /// Returns a hash that is equal for rows that are the same when inserted independently, whatever has
  /// happened to the table since.
  private func content(
    _ logged: UnsafeRawBufferPointer, _ mapping: TableMapping, _ cells: [ValueView],
    standsAlone: Bool, by side: Conflict.Side
  ) throws -> UInt64 {
    let table = Int(mapping.tableNumber)
    var content = ByteBuffer()
    for (name, view) in try mapping.valuesByName(logged) {
      content.append(Value.string(name))
      content.append(view)
    }
    // Equal numbers of other rows need not mean the same rows. SQLite does not assign negative numbers, so
    // equal rows that have such a number have it from the same row.
    let key = schema.tables[table].shape.keys[0].column
    if cells[key].integer >= 0, !standsAlone,
      roots.columns[table].contains(where: {
        $0.column != key && cells[$0.column].kind != .null
      })
    {
      content.append(Value.blob(side.peer.bytes))
      content.append(Value.integer(Int64(side.sequence.rawValue)))
    }
    return SegmentHash.hash(content.bytes)
  }

  /// Returns the number of an inserted row, and its values in the columns that make rows the same.
  ///
  /// - Parameter mark: the mark of the migration that has written the row.
  func identity(
    _ logged: UnsafeRawBufferPointer, _ mapping: TableMapping, mark: String?
  ) throws -> (number: Int64, values: [Value]) {
    let table = Int(mapping.tableNumber)
    let cells = try mapping.cells(.insert, logged)
    let key = schema.tables[table].shape.keys[0].column
    return (cells[key].integer, try identity(logged, mapping, cells, mark))
  }

  private func identity(
    _ logged: UnsafeRawBufferPointer, _ mapping: TableMapping, _ cells: [ValueView], _ mark: String?
  ) throws -> [Value] {
    let table = Int(mapping.tableNumber)
    if let mark, schema.tables[table].identifiesMigratedRows {
      let key = mapping.keyName
      return try [.string(mark)]
        + mapping.valuesByName(logged).filter { $0.name != key }.flatMap {
          [.string($0.name), $0.view.value ?? .null]
        }
    }
    return try schema.tables[table].identifyingColumns.map { key in
      try cells[key.column].value ?? defaults(of: table)[key.column]
    }
  }

  /// Returns the values that a log older than a column implies for it.
  private func defaults(of table: Int) throws -> [Value] {
    if let known = defaultRows[table] { return known }
    let values = try DefaultRow.values(of: schema.tables[table], connection)
    defaultRows[table] = values
    return values
  }
}
