import TributaryCore
import TributaryLog
import TributaryStore

/// What the logs have written, under each number, in the columns that make rows of a table the same.
struct LoggedIdentities {
  private let table: TableDescription
  /// The numbers that the logs mention.
  private(set) var numbers: Set<Int64> = []
  /// The present numbers of rows, by the numbers that were given to them, where the two differ.
  private(set) var homes: [Int64: Int64] = [:]
  /// The values, by number and column.
  private var values: [Int64: [Int: Set<Value>]] = [:]

  init(_ table: TableDescription) { self.table = table }

  /// Adds a change of this table from some log.
  ///
  /// - Parameters:
  ///   - number: the number under which it was written.
  ///   - meant: the present number of the row.
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

  /// Whether the logs have had, at some time, each such value of a row under its number.
  func isVersion(of number: Int64, _ row: [Value]) -> Bool {
    table.identifyingColumns.allSatisfy {
      values[number]?[$0.column]?.contains(row[$0.column]) ?? false
    }
  }
}
