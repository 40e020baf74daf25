internal import TributaryCore
package import TributaryLog
internal import TributaryStore

/// A table as the statements of an export name it: logs keep the names that were valid when they were written, and
/// a migration may have renamed or dropped since.
package struct StatementTable {
  /// The name that the statements use.
  let name: String
  /// By column of the log: the name that the statements use; `nil` if the column was dropped, so that its
  /// values are left out.
  let columns: [String?]
  /// The columns of the key, by their position in the log, in the order of the key.
  let keys: [Int]
  /// By column of the key: the collation that statements must name, since the column was declared with another one.
  let collations: [Collation?]
  /// Whether an insert over a living row first deletes that row: in an upsert into a table with computed
  /// columns, SQLite 3.40 turns an integer into a real.
  let replacesRows: Bool
  /// The shape in the log.
  let shape: TableShape

  /// Uses the names of the log.
  package init(_ shape: TableShape) { self.init(shape, name: shape.table, columns: shape.columns) }

  /// - Parameter collation: returns the collation that a column was declared with; `nil` if it is unknown.
  init(
    _ shape: TableShape, name: String, columns: [String?], replacesRows: Bool = false,
    collation: (String) -> String? = { _ in nil }
  ) {
    self.shape = shape
    self.name = name
    self.columns = columns
    self.replacesRows = replacesRows
    keys = shape.keys.map(\.column)
    collations = shape.keys.map { key in
      guard let declared = collation(columns[key.column] ?? shape.columns[key.column]),
        SQLName(declared) != SQLName(key.collation.sqlName)
      else { return nil }
      return key.collation
    }
  }

  /// The columns that the table still has.
  var present: [Int] { columns.indices.filter { columns[$0] != nil } }

  /// Returns the name of a column that the table still has.
  func column(_ index: Int) -> String { columns[index] ?? shape.columns[index] }
}
