import TributaryCore

/// Splits SQL into tokens, as far as that is possible without its grammar.
struct SQLScanner {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether any statement starts with BEGIN.
  ///
  /// The BEGIN of a trigger does not start a statement, and no statement inside a trigger can be
  /// BEGIN.
  var statesBegin: Bool {
    var index = 0
    var isAtStart = true
    while index < bytes.count {
      let byte = bytes[index]
      if let end = endOfSkipped(from: index) {
        isAtStart = isAtStart && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/"))
        index = end
      } else if byte == UInt8(ascii: ";") {
        isAtStart = true
        index += 1
      } else if Self.isSpace(byte) {
        index += 1
      } else {
        let end = endOfWord(from: index)
        if isAtStart, SQLName(String(decoding: bytes[index..<end], as: UTF8.self)) == "BEGIN" {
          return true
        }
        isAtStart = false
        index = end
      }
    }
    return false
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

  func endOfWord(from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] >= 0x80 || Self.isWord(bytes[end]) { end += 1 }
    return max(end, start + 1)
  }

  static func isWord(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
      || byte == UInt8(ascii: "$")
  }

  /// Returns the end of the literal, quoted name or comment that starts here.
  func endOfSkipped(from start: Int) -> Int? {
    let next = start + 1 < bytes.count ? bytes[start + 1] : 0
    switch bytes[start] {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      return end(after: start, bytes[start])
    case UInt8(ascii: "["): return end(after: start, UInt8(ascii: "]"))
    case UInt8(ascii: "-") where next == UInt8(ascii: "-"): return end(after: start, 10)
    case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
      var index = start + 2
      while index + 1 < bytes.count,
        bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
      {
        index += 1
      }
      return min(index + 2, bytes.count)
    default: return nil
    }
  }

  private func end(after start: Int, _ closing: UInt8) -> Int {
    (bytes[(start + 1)...].firstIndex(of: closing) ?? bytes.count - 1) + 1
  }
}
