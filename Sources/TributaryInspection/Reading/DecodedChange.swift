package import TributaryCore
package import TributaryLog

/// A row change with its names and values.
package struct DecodedChange {
  package let table: String
  package let operation: ChangeOperation
  /// The key, in the order of the key's columns.
  package let key: [Value]
  /// All columns of an insert, the changed ones of an update, none of a delete.
  package let values: [(column: String, value: Value)]

  /// Decodes a change.
  ///
  /// - Throws: `LogError` for an image that does not fit the shape.
  package init(_ change: ChangeView, _ shape: TableShape) throws {
    table = shape.table
    operation = change.operation
    var cursor = change.values
    guard change.operation != .delete else {
      key = try shape.keys.map { _ in try cursor.next().value ?? .null }
      values = []
      return
    }
    var columns: [Value?] = []
    for _ in shape.columns { columns.append(try cursor.next().value) }
    key = shape.keys.map { columns[$0.column] ?? .null }
    // A changed key is a delete and an insert; an update contains the key only to name the row.
    let keyColumns = change.operation == .update ? Set(shape.keys.map(\.column)) : []
    values = zip(shape.columns, columns).enumerated().compactMap { index, pair in
      guard let value = pair.1, !keyColumns.contains(index) else { return nil }
      return (pair.0, value)
    }
  }

  /// Returns the values of the key alone, in the order of its columns.
  ///
  /// - Throws: as `init` does.
  static func key(of change: ChangeView, _ shape: TableShape) throws -> [Value] {
    var cursor = change.values
    if change.operation == .delete {
      return try shape.keys.map { _ in try cursor.next().value ?? .null }
    }
    var key = [Value](repeating: .null, count: shape.keys.count)
    var missing = shape.keys.count
    for column in shape.columns.indices where missing > 0 {
      let value = try cursor.next()
      for (index, part) in shape.keys.enumerated() where part.column == column {
        key[index] = value.value ?? .null
        missing -= 1
      }
    }
    return key
  }

  /// The readable word for the operation, as in the format: a `replace` is an insert under a key that had a
  /// row before.
  package var operationText: String { operation == .replace ? "replace" : operationName }

  /// The word for the operation in JSON: `insert`, `update` or `delete`.
  package var operationName: String {
    switch operation {
    case .insert, .replace: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}
