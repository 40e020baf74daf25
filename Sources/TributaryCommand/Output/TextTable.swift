/// Rows in aligned columns, for people.
///
/// Rows are held back until enough of them are there to know how wide the columns are; later ones
/// follow in the same columns, so that a long table takes bounded memory.
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

  /// - Parameter header: must be fit for showing, as all cells.
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
    if let header = header.take() { try output.line(output.styled(line(header), .bold)) }
    for row in rows { try output.line(line(row)) }
    rows.removeAll()
  }

  private func line(_ cells: [String]) -> String {
    var text = indentation
    for (index, cell) in cells.enumerated() {
      if index > 0 { text += "  " }
      let isLast = index == cells.count - 1
      switch alignments[index] {
      case .right: text += cell.padded(to: widths[index], onTheLeft: true)
      // Nothing follows that would have to be aligned.
      case .left: text += isLast ? cell : cell.padded(to: widths[index])
      }
    }
    return text
  }
}
