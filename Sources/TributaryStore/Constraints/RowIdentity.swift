import TributaryCore
import TributaryLog

/// A row, living or dead: its table, and its key in the spelling that all equal keys share.
package struct RowIdentity: Hashable, Sendable {
  /// The position of the table in the schema.
  package var table: Int
  /// The key, encoded by `RowKeyEncoder`.
  package var key: [UInt8]

  package init(table: Int, key: [UInt8]) {
    self.table = table
    self.key = key
  }
}

extension TableDescription {
  /// Returns the identity of a row of this table.
  ///
  /// - Parameter number: the position of the table in the schema.
  package func identity(_ row: [Value], number: Int) throws(LogError) -> RowIdentity {
    try identity(key: key(of: row), number: number)
  }

  package func identity(key: [Value], number: Int) throws(LogError) -> RowIdentity {
    var bytes = ByteBuffer()
    try RowKeyEncoder(shape: shape).encode(key, into: &bytes)
    return RowIdentity(table: number, key: Array(bytes.bytes))
  }

  /// Returns the key of a row, in the order of the key.
  package func key(of row: [Value]) -> [Value] { shape.keys.map { row[$0.column] } }

  /// Whether a row can be distinguished from others: another program may have written NULL into its key.
  package func hasKey(_ row: [Value]) -> Bool { shape.keys.allSatisfy { row[$0.column] != .null } }
}
