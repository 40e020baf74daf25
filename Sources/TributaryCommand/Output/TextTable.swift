/// Rows in aligned columns.
///
/// Rows are held back until there are enough of them to determine the widths of the columns; later
/// rows use the same widths, so a long table takes bounded memory.
package struct TextTable {
  package enum Alignment {
    case left
    case right
  }

  private let output: Output
  private let indentation: String
  private var header: [String]?
  private var alignments: [Alignment]
  private var widths: [Int]
  private var rows: [[String]] = []
  private var hasStarted = false

  private static let heldCount = 500

  /// Makes a table.
  ///
  /// - Parameter header: the header, which must be safe to print, like all cells.
  package init(
    _ header: [String], alignments: [Alignment] = [], indentation: String = "", to output: Output
  ) {
    self.output = output
    self.indentation = indentation
    self.header = header
    self.alignments = (0..<header.count).map {
      $0 < alignments.count ? alignments[$0] : .left
    }
    widths = header.map(\.columnCount)
  }

  package mutating func append(_ row: [String]) throws(OutputError) {
    rows.append(row)
    if hasStarted || rows.count == Self.heldCount { try flush() }
  }

  /// Aligns a column to the right.
  mutating func alignRight(_ column: Int) { alignments[column] = .right }

  /// Prints what was held back.
  package mutating func finish() throws(OutputError) { try flush() }

  private mutating func flush() throws(OutputError) {
    guard !rows.isEmpty else { return }
    hasStarted = true
    for row in rows {
      for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.columnCount) }
    }
    if let header = header.take() {
      var text: [UInt8] = []
      append(header, to: &text)
      try output.line(output.styled(String(decoding: text, as: UTF8.self), .bold))
    }
    // One buffer for all rows: a list may have many thousands.
    var text: [UInt8] = []
    for row in rows {
      append(row, to: &text)
      text.append(UInt8(ascii: "\n"))
    }
    try output.write(text)
    rows.removeAll(keepingCapacity: true)
  }

  private func append(_ cells: [String], to text: inout [UInt8]) {
    text.append(contentsOf: indentation.utf8)
    for (index, cell) in cells.enumerated() {
      if index > 0 { text.append(contentsOf: "  ".utf8) }
      // Nothing that needs alignment follows the last cell.
      let isPadded = alignments[index] == .right || index < cells.count - 1
      let spaces = repeatElement(
        UInt8(ascii: " "), count: isPadded ? max(0, widths[index] - cell.columnCount) : 0)
      if alignments[index] == .right { text.append(contentsOf: spaces) }
      text.append(contentsOf: cell.utf8)
      if alignments[index] == .left { text.append(contentsOf: spaces) }
    }
  }
}
