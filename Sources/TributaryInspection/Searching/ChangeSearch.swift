package import TributaryLog

/// Looks for changes with a value that matches a pattern: in all columns of an insert, the key and
/// the changed columns of an update, the key of a delete.
///
/// - Complexity: one scan of the bytes of a change; nothing is copied.
package struct ChangeSearch {
  package let pattern: ValuePattern
  private let columns: ColumnFilter
  /// The columns of the last shape that are not examined.
  private var ignored: [Bool] = []
  private var last: (table: String, columns: [String], content: String)?

  /// Makes a search.
  package init(_ pattern: ValuePattern, columns: ColumnFilter = ColumnFilter()) {
    self.pattern = pattern
    self.columns = columns
  }

  /// Whether a change matches, and in which columns.
  ///
  /// - Parameters:
  ///   - content: the content name of the log.
  ///   - matched: set to the columns, counted from 0; empty if everything matches.
  /// - Throws: `LogError` for an image that does not fit the shape, `PatternError`.
  package mutating func matches(
    _ change: ChangeView, _ shape: TableShape, in content: String, _ matched: inout [Int]
  ) throws -> Bool {
    matched.removeAll(keepingCapacity: true)
    if pattern.isEverything, columns.isEmpty { return true }
    guard pattern.mayMatch(change.image) else { return false }
    if !columns.isEmpty { look(at: shape, content) }
    var cursor = change.values
    if change.operation == .delete {
      for key in shape.keys { try take(cursor.next(), key.column, &matched) }
    } else {
      for column in shape.columns.indices { try take(cursor.next(), column, &matched) }
    }
    return !matched.isEmpty
  }

  private func take(_ value: ValueView, _ column: Int, _ matched: inout [Int]) throws {
    if !columns.isEmpty, ignored[column] { return }
    if try pattern.matches(value) { matched.append(column) }
  }

  private mutating func look(at shape: TableShape, _ content: String) {
    if let last, last == (shape.table, shape.columns, content) { return }
    ignored = shape.columns.map { !columns.includes($0, of: shape.table, in: content) }
    last = (shape.table, shape.columns, content)
  }
}
