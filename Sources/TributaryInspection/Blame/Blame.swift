package import TributaryCore
package import TributaryLog
internal import TributaryMerge
package import TributaryStore
package import TributarySync

/// Who wrote each cell of a store.
package struct Blame {
  /// A cell that has a value, be it NULL.
  package struct Cell {
    package let column: String
    package let value: Value
    /// `nil` where no transaction wrote it.
    package let author: Conflict.Side?
  }

  /// A row that lives.
  package struct Row {
    package let table: String
    /// In the order of the key's columns.
    package let key: [Value]
    /// In the order of the table's columns.
    package let cells: [Cell]
    /// Whether a constraint keeps it out of its table.
    package let isHeld: Bool

    /// The row with some of its columns only.
    package func selecting(_ isWanted: (String) -> Bool) -> Row {
      Row(table: table, key: key, cells: cells.filter { isWanted($0.column) }, isHeld: isHeld)
    }
  }

  private let store: MomentStore
  private let progress: ((Progress) -> Void)?

  /// - Parameter store: one that is not detached.
  package init(of store: MomentStore, progress: ((Progress) -> Void)? = nil) {
    self.store = store
    self.progress = progress
  }

  /// Hands out rows by table, in order of their keys.
  ///
  /// - Parameter isWanted: which rows, by table and key.
  /// - Throws: what replaying and the body throw.
  package func forEachRow(
    isWanted: (String, TableShape, [Value]) -> Bool, _ body: (Row) throws -> Void
  ) throws {
    guard store.hasLogs else { return }
    try AuthorReplay(of: store.path, environment: store.environment, progress: progress).forEachRow(
      isWanted: { isWanted($0.name, $0.shape, $1) },
      { table, row in
        let cells = zip(table.shape.columns, zip(row.values, row.authors)).map { column, cell in
          Cell(column: column, value: cell.0, author: cell.1)
        }
        try body(Row(table: table.name, key: row.key, cells: cells, isHeld: row.isHeld))
      })
  }
}
