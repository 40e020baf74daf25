import TributaryCore

extension SQLScanner {
  /// A piece of SQL that means something.
  enum Token: Equatable {
    /// A keyword, a bare name or a number.
    case word(String)
    /// A name, without its quotes.
    case quoted(String)
    /// What is in single quotes; SQLite also takes it for a name where a text cannot stand.
    case text(String)
    case symbol(UInt8)

    /// What it is called, when it can be a name.
    var name: String? {
      switch self {
      case .word(let text), .quoted(let text), .text(let text): text
      case .symbol: nil
      }
    }

    /// Whether it is a text, where one can stand.
    var isText: Bool {
      if case .text = self { true } else { false }
    }

    /// Whether it is this keyword.
    func isWord(_ keyword: String) -> Bool {
      if case .word(let text) = self { SQLName(text) == SQLName(keyword) } else { false }
    }
  }

  /// Everything but white space and comments.
  var tokens: [Token] { placedTokens.map(\.token) }

  /// The same, and where in the bytes each is.
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

  /// The end of what is in quotes from `start`, where a quote inside is doubled.
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

  /// Without the quotes around it; those inside, which are doubled, are one.
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
