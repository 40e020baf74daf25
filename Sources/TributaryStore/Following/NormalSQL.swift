import TributaryCore

/// The tokens of a piece of SQL in a comparable form: without white space and comments, and with names and
/// keywords in lower case.
struct NormalSQL: Hashable {
  private let tokens: [String]

  init(_ tokens: some Sequence<SQLScanner.Token>) {
    self.tokens = tokens.map { token in
      switch token {
      case .word(let word): "n" + SQLName(word).folded
      case .quoted(let name): "n" + SQLName(name).folded
      case .text(let text): "t" + text
      case .symbol(let byte): "s" + String(UnicodeScalar(byte))
      }
    }
  }

  /// Returns the same text with the oldest name of each table, and of each column of one table.
  func withFirstNames(of table: String, _ names: NameChanges) -> NormalSQL {
    if names.isEmpty { return self }
    return NormalSQL(
      normal: tokens.map { token in
        guard token.first == "n" else { return token }
        let name = SQLName(names.origin(ofTable: String(token.dropFirst())))
        return "n" + names.origin(ofColumn: name, of: SQLName(table)).folded
      })
  }

  private init(normal tokens: [String]) { self.tokens = tokens }

  init(_ sql: String) { self.init(SQLScanner(Array(sql.utf8)).tokens) }

  /// A statement that makes something, without IF NOT EXISTS, which no schema keeps, and without its
  /// terminator.
  init(creation sql: String) {
    var tokens = SQLScanner(Array(sql.utf8)).tokens
    if let start = tokens.prefix(5).firstIndex(where: { $0.isWord("IF") }),
      start + 2 < tokens.count, tokens[start + 1].isWord("NOT"), tokens[start + 2].isWord("EXISTS")
    {
      tokens.removeSubrange(start...start + 2)
    }
    while tokens.last == .symbol(UInt8(ascii: ";")) { tokens.removeLast() }
    self.init(tokens)
  }
}
