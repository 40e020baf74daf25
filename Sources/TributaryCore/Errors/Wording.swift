/// Whose words a text uses to name a remedy.
package enum Wording: Sendable {
  /// For an application: `store.synchronize()`.
  case library
  /// For a user of the command: `tributary sync`.
  case command

  /// The wording of the current task or thread; the command sets it while it runs.
  @TaskLocal package static var current = Wording.library

  /// Returns a text in these words.
  ///
  /// - Parameter text: a text that names commands. A command that has no equivalent call in the
  ///   library is left unchanged.
  package func spoken(_ text: String) -> String {
    guard self == .library, text.utf8.contains(UInt8(ascii: "`")) || text.contains("--") else {
      return text
    }
    // The pieces are alternately outside and inside quotation marks.
    let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
    var result = ""
    for (index, piece) in pieces.enumerated() {
      if index.isMultiple(of: 2) {
        result += Self.withOptionsReplaced(piece)
      } else if index == pieces.count - 1 {
        // An opening mark without a closing one.
        result += "`\(piece)"
      } else if let call = Self.call(for: piece) {
        if result.hasSuffix("run ") { result = result.dropLast(4) + "call " }
        result += "`\(call)`"
      } else {
        result += "`\(piece)`"
      }
    }
    return result
  }

  private static func call(for command: Substring) -> String? {
    let name = "tributary "
    guard command.hasPrefix(name) else { return nil }
    let words = command.dropFirst(name.count)
    return calls.first { words == $0.command || $0.takesMore && words.hasPrefix($0.command + " ") }?
      .call
  }

  /// Returns a text with its options replaced. Options stand between other words, perhaps with a
  /// bracket before and a comma after them.
  private static func withOptionsReplaced(_ text: Substring) -> String {
    guard text.contains("--") else { return String(text) }
    var result = String(text)
    for (option, property) in options {
      guard let start = result.firstRange(of: option) else { continue }
      let next = start.upperBound < result.endIndex ? result[start.upperBound] : " "
      guard !next.isLetter, next != "-" else { continue }
      result.replaceSubrange(start, with: "`\(property)`")
    }
    return result
  }
}
