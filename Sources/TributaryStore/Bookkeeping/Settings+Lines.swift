/// Settings that are lists, with one item per line. In an item, a backslash is written as two, and a line
/// feed, which names of tables may contain, as a backslash and `n`.
extension Settings {
  private static let feed = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")
  private static let letter = UInt8(ascii: "n")

  /// Returns the items of a list; none if it is absent.
  package func lines(_ key: Key) throws -> [String] {
    try text(key).map(Self.lines) ?? []
  }

  /// Returns the items of a list whose text was already read.
  package static func lines(_ text: String) -> [String] {
    text.utf8.split(separator: Self.feed, omittingEmptySubsequences: false).map { line in
      var item: [UInt8] = []
      var isEscaped = false
      for byte in line {
        if isEscaped || byte != Self.backslash {
          item.append(isEscaped && byte == Self.letter ? Self.feed : byte)
          isEscaped = false
        } else {
          isEscaped = true
        }
      }
      return String(decoding: item, as: UTF8.self)
    }
  }

  /// Sets a list, or removes it if it has no items.
  package func set(_ key: Key, lines: [String]) throws {
    var text: [UInt8] = []
    for (index, item) in lines.enumerated() {
      if index > 0 { text.append(Self.feed) }
      for byte in item.utf8 {
        if byte == Self.feed || byte == Self.backslash { text.append(Self.backslash) }
        text.append(byte == Self.feed ? Self.letter : byte)
      }
    }
    try set(key, lines.isEmpty ? nil : .text(text))
  }
}
