import TributaryStore

/// Words as a shell reads them.
enum ShellWords {
  /// Returns a command line that a shell splits into these words; `nil` if a word has characters that a
  /// terminal could not show.
  static func text(_ words: [String]) -> String? {
    guard words.allSatisfy({ Escaping.escaped($0) == $0 }) else { return nil }
    return words.map(ShellWord.quoted).joined(separator: " ")
  }
}
