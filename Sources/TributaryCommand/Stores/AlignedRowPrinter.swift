import TributaryCore
import TributarySQLite

/// Prints rows in aligned columns, each result with its header.
struct AlignedRowPrinter: RowPrinter {
  private let output: Output
  private var statement: Statement?
  private var table: TextTable?

  init(_ output: Output) { self.output = output }

  mutating func print(_ row: Statement) throws {
    let values = row.values
    if statement !== row {
      try finish()
      statement = row
      // A column is aligned right if the first row has a number there.
      table = TextTable(
        row.columnNames.map { Escaping.escaped($0) }, alignments: values.map(Self.alignment),
        to: output)
    }
    try table?.append(values.map(Self.cell))
  }

  mutating func finish() throws { try table?.finish() }

  private static func alignment(_ value: Value) -> TextTable.Alignment {
    switch value {
    case .integer, .real: .right
    default: .left
    }
  }

  private static func cell(_ value: Value) -> String {
    switch value {
    case .text(let bytes): Escaping.escaped(bytes)
    default: Literal.text(value)
    }
  }
}
