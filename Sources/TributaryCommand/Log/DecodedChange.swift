import TributaryCore
import TributaryLog

/// A row change with its names and values.
struct DecodedChange {
  let table: String
  let operation: ChangeOperation
  /// In the order of the key's columns.
  let key: [Value]
  /// All columns of an insert, the changed ones of an update, none of a delete.
  let values: [(column: String, value: Value)]

  /// - Throws: `LogError` for an image that does not fit the shape.
  init(_ change: ChangeView, _ shape: TableShape) throws {
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
    // A changed key is a delete and an insert: what an update has of it only names the row.
    let keyColumns = change.operation == .update ? Set(shape.keys.map(\.column)) : []
    values = zip(shape.columns, columns).enumerated().compactMap { index, pair in
      guard let value = pair.1, !keyColumns.contains(index) else { return nil }
      return (pair.0, value)
    }
  }

  var operationName: String {
    switch operation {
    case .insert, .replace: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}
