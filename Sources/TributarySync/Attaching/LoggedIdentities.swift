import TributaryCore
import TributaryLog
import TributaryStore

/// What the logs have written, under each number, of the columns that make rows of a table the same.
struct LoggedIdentities {
  private let table: TableDescription
  /// Numbers that the logs mention.
  private(set) var numbers: Set<Int64> = []
  /// By numbers that were given: those that the rows go by now, where these are others.
  private(set) var homes: [Int64: Int64] = [:]
  /// By number and column.
  private var values: [Int64: [Int: Set<Value>]] = [:]

  init(_ table: TableDescription) { self.table = table }

  /// Follows a change of some log, of this table.
  ///
  /// - Parameters:
  ///   - number: under which it was written.
  ///   - meant: that which the row goes by now.
  mutating func follow(
    _ change: ChangeView, _ shape: TableShape, number: Int64, meant: Int64
  ) throws {
    numbers.formUnion([number, meant])
    if number != meant { homes[number] = meant }
    if change.operation == .delete { return }
    var cursor = change.values
    for name in shape.columns {
      guard let value = try cursor.next().value,
        let column = table.identifyingColumns.first(where: {
          SQLName(table.shape.columns[$0.column]) == SQLName(name)
        })?.column
      else { continue }
      for number in [number, meant] {
        values[number, default: [:]][column, default: []].insert(value)
      }
    }
  }

  /// Whether they have had each such value of a row under its number, at some time.
  func isVersion(of number: Int64, _ row: [Value]) -> Bool {
    table.identifyingColumns.allSatisfy {
      values[number]?[$0.column]?.contains(row[$0.column]) ?? false
    }
  }
}
