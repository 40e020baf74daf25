import TributaryCore
import TributaryLog
import TributaryMerge
import TributaryStore

/// What a transaction did to one row.
struct LoggedChange {
  var transaction: BatchTransaction
  var operation: ChangeOperation
  /// The values by column: all of an insert, the key and the changed ones of an update, the key of
  /// a deletion.
  var values: [Conflict.Cell]

  init(_ change: ChangeView, shape: TableShape, transaction: BatchTransaction) throws {
    self.transaction = transaction
    operation = change.operation
    values = []
    let columns =
      change.operation == .delete ? shape.keys.map(\.column) : Array(0..<shape.columns.count)
    var cursor = change.values
    for column in columns {
      if let value = try cursor.next().value {
        values.append(Conflict.Cell(column: shape.columns[column], value: value))
      }
    }
  }
}

extension [Conflict.Cell] {
  /// Returns the value of a column, ignoring the case of its name.
  func value(of column: String) -> Value? {
    first { SQLName($0.column) == SQLName(column) }?.value
  }
}
