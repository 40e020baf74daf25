/// What the text of a CREATE INDEX says that no pragma does: its expressions and its condition.
struct IndexText {
  /// One for each key column, without the direction; a COLLATE stays.
  private(set) var terms: [String] = []
  /// The expression behind WHERE.
  private(set) var condition: String?

  init(_ sql: String) {
    let tokens = SQLTokens(Array(sql.utf8))
    // CREATE UNIQUE INDEX name ON table (…): the first parenthesis belongs to the index.
    guard let open = tokens.firstIndex(where: { $0.text == "(" }) else { return }
    var depth = 0
    var start = open + 1
    var position = open
    while position < tokens.count {
      let text = tokens[position].text
      if text == "(" { depth += 1 }
      if text == ")" { depth -= 1 }
      if depth == 0 || depth == 1 && text == "," {
        terms.append(Self.term(tokens.source, tokens[start..<position]))
        start = position + 1
      }
      if depth == 0 { break }
      position += 1
    }
    let rest = tokens[min(position + 1, tokens.count)...]
    guard let keyword = rest.firstIndex(where: { $0.isWord("WHERE") }), keyword + 1 < rest.endIndex
    else { return }
    condition = Self.text(tokens.source, rest[(keyword + 1)...].filter { $0.text != ";" })
  }

  private static func term(_ source: [UInt8], _ tokens: Slice<SQLTokens>) -> String {
    var tokens = Array(tokens)
    if let last = tokens.last, last.isWord("ASC") || last.isWord("DESC") { tokens.removeLast() }
    return text(source, tokens)
  }

  private static func text(_ source: [UInt8], _ tokens: [SQLTokens.Token]) -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    return String(
      decoding: source[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
  }
}
