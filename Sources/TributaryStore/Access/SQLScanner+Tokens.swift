import TributaryCore

extension SQLScanner {
  /// A token of SQL.
  enum Token: Equatable {
    /// A keyword, a bare name or a number.
    case word(String)
    /// A name, without its quotes.
    case quoted(String)
    /// The contents of single quotes. SQLite also accepts it as a name where text cannot stand.
    case text(String)
    case symbol(UInt8)

    /// The name, if the token can be one.
    var name: String? {
      switch self {
      case .word(let text), .quoted(let text), .text(let text): text
      case .symbol: nil
      }
    }

    /// Whether the token is text, in a place where text can stand.
    var isText: Bool {
      if case .text = self { true } else { false }
    }

    /// Whether the token is this keyword.
    func isWord(_ keyword: String) -> Bool {
      if case .word(let text) = self { SQLName(text) == SQLName(keyword) } else { false }
    }
  }

  /// All tokens, without white space and comments.
  var tokens: [Token] { placedTokens.map(\.token) }

  /// All tokens with their positions in the bytes.
  var placedTokens: [(token: Token, range: Range<Int>)] {
    var tokens: [(token: Token, range: Range<Int>)] = []
    var index = 0
    while index < bytes.count {
      let start = index
      let byte = bytes[index]
      if let firstEnd = endOfSkipped(from: index) {
        let end = endOfQuoted(from: index, firstEnd: firstEnd)
        if byte != UInt8(ascii: "-"), byte != UInt8(ascii: "/") {
          let text = unquoted(bytes[index..<end])
          tokens.append((byte == UInt8(ascii: "'") ? .text(text) : .quoted(text), start..<end))
        }
        index = end
      } else if Self.isSpace(byte) {
        index += 1
      } else if byte >= 0x80 || Self.isWord(byte) {
        let end = endOfWord(from: index)
        tokens.append((.word(String(decoding: bytes[index..<end], as: UTF8.self)), start..<end))
        index = end
      } else {
        tokens.append((.symbol(byte), start..<start + 1))
        index += 1
      }
    }
    return tokens
  }

  /// Returns the end of the quoted piece from `start`, in which quotes are doubled.
  func endOfQuoted(from start: Int, firstEnd: Int) -> Int {
    var end = firstEnd
    while Self.isQuote(bytes[start]), end < bytes.count, bytes[end] == bytes[start],
      let next = endOfSkipped(from: end)
    {
      end = next
    }
    return end
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
  }

  /// Removes the quotes around a quoted piece and undoes the doubling of those inside.
  private func unquoted(_ quoted: ArraySlice<UInt8>) -> String {
    guard let open = quoted.first else { return "" }
    var text: [UInt8] = []
    var isSecond = false
    for byte in quoted.dropFirst().dropLast() {
      if byte == open, open != UInt8(ascii: "["), !isSecond {
        isSecond = true
        continue
      }
      isSecond = false
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
