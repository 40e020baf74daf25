import TributarySQLite

/// The format of printed rows.
enum RowFormat {
  case json
  case csv
  /// Aligned columns on a terminal, otherwise separated by tabs.
  case text

  func makePrinter(_ output: Output) -> any RowPrinter {
    switch self {
    case .json: JSONRowPrinter(output)
    case .csv: SeparatedRowPrinter(output, .csv)
    case .text: output.isTerminal ? AlignedRowPrinter(output) : SeparatedRowPrinter(output, .tabs)
    }
  }
}

/// Prints rows as they come; a different statement starts another result.
protocol RowPrinter {
  mutating func print(_ row: Statement) throws

  /// Prints what was held back.
  mutating func finish() throws
}
