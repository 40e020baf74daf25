package import TributaryCore
internal import TributaryLog
internal import TributaryMerge
package import TributaryStore
package import TributarySync

/// The authors of each cell of a store.
package struct Blame {
  /// A cell with a value, which may be NULL.
  package struct Cell {
    package let column: String
    package let value: Value
    /// The author; `nil` if no transaction wrote the cell.
    package let author: Conflict.Side?
  }

  /// A living row.
  package struct Row {
    package let table: String
    /// The key, in the order of the key's columns.
    package let key: [Value]
    /// The cells, in the order of the table's columns.
    package let cells: [Cell]
    /// Whether a constraint keeps it out of its table.
    package let isHeld: Bool

    /// Returns the row with only some of its columns.
    package func selecting(_ isWanted: (String) -> Bool) -> Row {
      Row(table: table, key: key, cells: cells.filter { isWanted($0.column) }, isHeld: isHeld)
    }
  }

  private let store: MomentStore
  private let progress: ((Progress) -> Void)?

  /// Prepares the search for authors.
  ///
  /// - Parameter store: a store that is not detached.
  package init(of store: MomentStore, progress: ((Progress) -> Void)? = nil) {
    self.store = store
    self.progress = progress
  }

  /// Passes on rows by table, in order of their keys.
  ///
  /// - Parameter filter: selects rows, by table and key.
  /// - Throws: what replaying and the body throw.
  package func forEachRow(
    _ filter: TransactionFilter = TransactionFilter(), _ body: (Row) throws -> Void
  ) throws {
    guard store.hasLogs else { return }
    try AuthorReplay(of: store.path, environment: store.environment, progress: progress).forEachRow(
      isWanted: { filter.includes(table: $0.name, key: $1, $0.shape, in: store.contentName) },
      { table, row in
        let cells = zip(table.shape.columns, zip(row.values, row.authors)).map { column, cell in
          Cell(column: column, value: cell.0, author: cell.1)
        }
        try body(Row(table: table.name, key: row.key, cells: cells, isHeld: row.isHeld))
      })
  }
}
