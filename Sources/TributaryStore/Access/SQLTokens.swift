/// The tokens of an SQL text, without spaces and comments.
struct SQLTokens: RandomAccessCollection {
  struct Token {
    /// Where it is in the source.
    var range: Range<Int>
    var text: String

    /// Whether it is that keyword, or a bare name spelled like it.
    func isWord(_ word: String) -> Bool { text.uppercased() == word }

    /// What a name means: without quotes.
    var name: String {
      guard let first = text.first, let last = text.last, text.utf8.count >= 2 else { return text }
      switch first {
      case "\"", "`", "'":
        let inner = text.dropFirst().dropLast()
        return inner.split(separator: "\(first)\(first)", omittingEmptySubsequences: false)
          .joined(separator: String(first))
      case "[" where last == "]": return String(text.dropFirst().dropLast())
      default: return text
      }
    }
  }

  let source: [UInt8]
  private let tokens: [Token]

  init(_ source: [UInt8]) {
    self.source = source
    tokens = SQLScanner(source).tokens.map {
      Token(range: $0, text: String(decoding: source[$0], as: UTF8.self))
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { tokens.count }
  subscript(position: Int) -> Token { tokens[position] }
}
