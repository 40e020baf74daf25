import TributaryCore
import TributarySQLite

/// Prints rows with separators between their values: as in RFC 4180, or only with tabs, like
/// `sqlite3 -tabs`.
///
/// Text and blobs are printed as their bytes. NULL is empty; in CSV, empty text is `""`.
struct SeparatedRowPrinter: RowPrinter {
  enum Style {
    case csv
    case tabs
  }

  private let output: Output
  private let style: Style
  private var statement: Statement?
  private var line: [UInt8] = []

  init(_ output: Output, _ style: Style) {
    self.output = output
    self.style = style
  }

  mutating func print(_ row: Statement) throws {
    if statement !== row {
      statement = row
      if style == .csv { try print(row.columnNames.map { .string($0) }) }
    }
    try print(row.values)
  }

  mutating func finish() {}

  private mutating func print(_ values: [Value]) throws {
    line.removeAll(keepingCapacity: true)
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(UInt8(ascii: style == .csv ? "," : "\t")) }
      append(value)
    }
    if style == .csv { line.append(UInt8(ascii: "\r")) }
    line.append(UInt8(ascii: "\n"))
    try output.write(line)
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .null: break
    case .integer(let integer): line.append(contentsOf: String(integer).utf8)
    case .real(let real): line.append(contentsOf: Literal.text(real).utf8)
    case .text(let bytes), .blob(let bytes):
      append(output.isTerminal ? Array(Escaping.escaped(bytes).utf8) : bytes)
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    guard style == .csv, bytes.isEmpty || bytes.contains(where: Self.needsQuotes) else {
      return line.append(contentsOf: bytes)
    }
    let quote = UInt8(ascii: "\"")
    line.append(quote)
    for byte in bytes {
      if byte == quote { line.append(quote) }
      line.append(byte)
    }
    line.append(quote)
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
  }
}
