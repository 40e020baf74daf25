internal import TributaryCore
package import TributaryReplay

/// The columns that were requested, each by any name that it has had.
package struct ColumnFilter: Sendable {
  private let columns: [SQLName]
  private var former = FormerNames()

  /// Makes a filter that compares names as they are.
  ///
  /// - Parameter columns: none means all columns.
  package init(_ columns: [String] = []) { self.columns = columns.map { SQLName($0) } }

  /// Whether all columns are accepted.
  package var isEmpty: Bool { columns.isEmpty }

  /// Makes the filter accept a column under all names that the peers of logs state. Without columns, nothing
  /// is read.
  package mutating func followNames(beside logs: [PeerLog]) {
    if !columns.isEmpty { former = FormerNames(beside: logs) }
  }

  /// Whether a column is accepted, comparing names as SQLite does.
  ///
  /// - Parameter table: the table, by the name that belongs to this name of the column, or by any other.
  package func includes(_ column: String, of table: String, in content: String) -> Bool {
    if columns.isEmpty || columns.contains(SQLName(column)) { return true }
    let names = former.names(ofColumn: column, of: table, in: content)
    return columns.contains(where: names.contains)
  }
}
