/// Words as a shell reads them.
enum ShellWords {
  /// Returns a command line that a shell splits into these words; `nil` if a word has characters that a
  /// terminal could not show.
  static func text(_ words: [String]) -> String? {
    guard words.allSatisfy({ Escaping.escaped($0) == $0 }) else { return nil }
    return words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy(isPlain)
    return isPlain
      ? word
      : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
  }

  /// Whether a character has no special meaning in any shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "%+,-./:=@_".utf8.contains(byte)
    }
  }
}
