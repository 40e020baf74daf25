import TributaryLog
import TributarySQLite

/// Statements by the set of columns that they write. The most recent one is found without hashing.
struct ColumnSetCache {
  private var statements: [[Int]: Statement?] = [:]
  private var lastSet: [Bool]
  private var last: Statement??

  init(columnCount: Int) { lastSet = Array(repeating: false, count: columnCount) }

  /// Returns the statement for the columns that are not `absent`.
  mutating func statement(
    _ cells: UnsafeMutableBufferPointer<ValueView>, make: ([Int]) throws -> Statement
  ) throws -> Statement {
    guard let statement = try optionalStatement(cells, make) else {
      preconditionFailure("every set of columns has a statement here")
    }
    return statement
  }

  /// Returns the statement for the columns that are not `absent`; some sets have no statement.
  mutating func optionalStatement(
    _ cells: UnsafeMutableBufferPointer<ValueView>, _ make: ([Int]) throws -> Statement?
  ) throws -> Statement? {
    var isSame = last != nil
    for column in cells.indices where lastSet[column] != (cells[column].kind != .absent) {
      lastSet[column].toggle()
      isSame = false
    }
    if isSame, let last { return last }
    let columns = cells.indices.filter { lastSet[$0] }
    let statement = try statements[columns] ?? make(columns)
    statements[columns] = statement
    last = .some(statement)
    return statement
  }
}
