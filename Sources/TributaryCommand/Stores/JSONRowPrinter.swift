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
      names = row.columnNames
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
}
