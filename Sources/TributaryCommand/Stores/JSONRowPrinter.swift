import TributaryCore
import TributarySQLite

/// Prints rows as JSON objects, with members in the order of the columns.
struct JSONRowPrinter: RowPrinter {
  private let output: Output
  private var statement: Statement?
  private var names: [String] = []

  init(_ output: Output) { self.output = output }

  mutating func print(_ row: Statement) throws {
    if statement !== row {
      statement = row
      names = Self.distinct(row.columnNames)
    }
    var json = JSONWriter()
    json.object { json in
      for (column, name) in names.enumerated() {
        json.name(name)
        json.value(row.value(column))
      }
    }
    try output.write(json.bytes + CollectionOfOne(UInt8(ascii: "\n")))
  }

  mutating func finish() {}

  /// Returns names that occur once each: the second column `a` becomes `a:1`, as SQLite names it in a table
  /// made from a query, and the next one `a:2`.
  private static func distinct(_ names: [String]) -> [String] {
    var taken: Set<[UInt8]> = []
    // The given names of columns take precedence over new names.
    let given = Set(names.map { Array($0.utf8) })
    return names.map { name in
      var result = name
      var number = 0
      while taken.contains(Array(result.utf8)) || (number > 0 && given.contains(Array(result.utf8)))
      {
        number += 1
        result = "\(name):\(number)"
      }
      taken.insert(Array(result.utf8))
      return result
    }
  }
}
