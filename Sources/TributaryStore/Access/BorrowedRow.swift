import TributaryCore
import TributarySQLite

/// A row of a result while it is being read: a value is copied only when you ask for it. Columns count from
/// 0.
///
/// It cannot be kept; `copy` makes a row that can.
public struct BorrowedRow: ~Copyable {
  let statement: Statement
  /// The columns of the result.
  let shared: ResultColumns

  init(_ statement: Statement, _ columns: ResultColumns) {
    self.statement = statement
    shared = columns
  }

  /// The number of columns.
  public var count: Int { statement.columnCount }

  /// The names of the columns, as in the query.
  public var columns: [String] { shared.of(statement).names }

  /// The value of a column.
  ///
  /// - Precondition: there is such a column.
  public subscript(index: Int) -> Value {
    check(index)
    return statement.value(index)
  }

  /// Whether a column contains NULL.
  public func isNull(at index: Int) -> Bool {
    check(index)
    return statement.isNull(index)
  }

  /// Returns the integer in a column; `nil` if it contains something else.
  public func integer(at index: Int) -> Int64? {
    check(index)
    return statement.type(index) == .integer ? statement.integer(index) : nil
  }

  /// Returns the number in a column; `nil` if it contains something else.
  public func real(at index: Int) -> Double? {
    check(index)
    return switch statement.type(index) {
    case .integer: Double(statement.integer(index))
    case .real: statement.real(index)
    default: nil
    }
  }

  /// Returns the text in a column, with invalid UTF-8 repaired; `nil` if it contains something else.
  public func string(at index: Int) -> String? {
    check(index)
    return statement.type(index) == .text ? statement.string(index) : nil
  }

  /// Calls `body` with the bytes of the text or blob in a column, which are valid during the call; with no
  /// bytes for anything else.
  public func withBytes<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    check(index)
    return switch statement.type(index) {
    case .text, .blob: try body(statement.bytes(index))
    default: try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Returns a row that can be kept.
  public func copy() -> Row { Row(columns: columns, values: statement.values) }

  private func check(_ index: Int) {
    precondition(
      index >= 0 && index < statement.columnCount,
      "there is no column \(index): the row has \(statement.columnCount)")
  }
}
