package import TributaryLog

/// A table as the statements of an export name it: logs keep the names that were valid when they were written, and
/// a migration may have renamed or dropped since.
package struct StatementTable {
  /// The name that the statements use.
  let name: String
  /// By column of the log: the name that the statements use; `nil` if the column was dropped, and its values are to be
  /// left out.
  let columns: [String?]
  /// The columns of the key, by their position in the log, in the order of the key.
  let keys: [Int]
  /// The shape in the log.
  let shape: TableShape

  /// Uses the names of the log.
  package init(_ shape: TableShape) { self.init(shape, name: shape.table, columns: shape.columns) }

  init(_ shape: TableShape, name: String, columns: [String?]) {
    self.shape = shape
    self.name = name
    self.columns = columns
    keys = shape.keys.map(\.column)
  }

  /// The columns that the table still has.
  var present: [Int] { columns.indices.filter { columns[$0] != nil } }

  /// The name of a column that the table still has.
  func column(_ index: Int) -> String { columns[index] ?? shape.columns[index] }
}
