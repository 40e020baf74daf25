/// The parts of a CREATE INDEX text that no pragma reports: its expressions and its condition.
struct IndexText {
  /// One term for each key column, without the direction; a COLLATE stays.
  private(set) var terms: [String] = []
  /// The expression after WHERE.
  private(set) var condition: String?

  private let bytes: [UInt8]

  init(_ sql: String) {
    bytes = Array(sql.utf8)
    let tokens = SQLScanner(bytes).placedTokens
    func isSymbol(_ position: Int, _ character: Unicode.Scalar) -> Bool {
      tokens[position].token == .symbol(UInt8(ascii: character))
    }
    // CREATE UNIQUE INDEX name ON table (…): the first parenthesis belongs to the index.
    guard let open = tokens.indices.first(where: { isSymbol($0, "(") }) else { return }
    var depth = 0
    var start = open + 1
    var position = open
    while position < tokens.count {
      if isSymbol(position, "(") { depth += 1 }
      if isSymbol(position, ")") { depth -= 1 }
      if depth == 0 || depth == 1 && isSymbol(position, ",") {
        var term = tokens[start..<position]
        if let last = term.last?.token, last.isWord("ASC") || last.isWord("DESC") {
          term.removeLast()
        }
        terms.append(text(term.map(\.range)))
        start = position + 1
      }
      if depth == 0 { break }
      position += 1
    }
    let rest = tokens.dropFirst(position + 1).filter { $0.token != .symbol(UInt8(ascii: ";")) }
    if let keyword = rest.firstIndex(where: { $0.token.isWord("WHERE") }) {
      condition = text(rest[(keyword + 1)...].map(\.range))
    }
  }

  private func text(_ ranges: [Range<Int>]) -> String {
    guard let first = ranges.first, let last = ranges.last else { return "" }
    return String(decoding: bytes[first.lowerBound..<last.upperBound], as: UTF8.self)
  }
}
