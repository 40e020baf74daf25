import TributaryStore

/// Words in the syntax of a shell.
enum ShellWords {
  /// Returns a command line that a shell splits into these words; `nil` if a word has characters that a
  /// terminal cannot show.
  static func text(_ words: [String]) -> String? {
    guard words.allSatisfy({ Escaping.escaped($0) == $0 }) else { return nil }
    return words.map(ShellWord.quoted).joined(separator: " ")
  }
}
