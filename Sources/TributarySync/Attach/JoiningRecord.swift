import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// One of the first transactions of a store, or of an identity, while it is written.
struct JoiningRecord: ~Copyable {
  private var writer: PieceWriter
  private var isEmpty = true

  init(_ record: Outbox.Record, _ connection: Connection) {
    writer = PieceWriter(outbox: Outbox(connection), record: record)
  }

  /// Writes a whole row.
  mutating func put(_ row: [Value], _ operation: ChangeOperation, _ shape: UInt32) throws {
    writer.buffer.appendChangeHead(operation, shape: shape)
    for value in row { writer.buffer.append(value) }
    try endItem()
  }

  /// Writes some columns of a row.
  ///
  /// - Parameter columns: the columns, including those of the key.
  mutating func update(_ row: [Value], _ columns: Set<Int>, _ shape: UInt32) throws {
    writer.buffer.appendChangeHead(.update, shape: shape)
    var absent = 0
    for (column, value) in row.enumerated() {
      if columns.contains(column) {
        writer.buffer.appendAbsent(count: absent)
        writer.buffer.append(value)
        absent = 0
      } else {
        absent += 1
      }
    }
    writer.buffer.appendAbsent(count: absent)
    try endItem()
  }

  /// Deletes a row.
  ///
  /// - Parameter key: the values in the order of the key.
  mutating func delete(_ key: [Value], _ shape: UInt32) throws {
    writer.buffer.appendChangeHead(.delete, shape: shape)
    for value in key { writer.buffer.append(value) }
    try endItem()
  }

  private mutating func endItem() throws {
    isEmpty = false
    try writer.endItem()
  }

  /// Writes what remains.
  ///
  /// - Returns: whether it contained anything. An empty transaction is not recorded.
  consuming func finish() throws -> Bool {
    if !isEmpty { try writer.finish() }
    return !isEmpty
  }
}
