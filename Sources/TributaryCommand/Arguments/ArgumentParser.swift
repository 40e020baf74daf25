import CPlatform
import Glibc
import Synchronization

/// Separates options from operands. *getopt_long(3)*
///
/// Options may follow operands, `--` ends them, and `-` alone is an operand. Long options may be
/// shortened as long as they stay unique.
package struct ArgumentParser {
  private let options: [CommandOption]
  private var arguments = Arguments()

  // The C function keeps its state in global variables.
  private static let lock = Mutex(())

  /// The first number of options without a letter, beyond all letters.
  private static let firstNumber: Int32 = 256

  /// Parses a command line.
  ///
  /// - Parameter stopsAtOperand: whether everything from the first operand on is an operand, for
  ///   commands with subcommands.
  package static func parse(
    _ words: some Sequence<String>, options: [CommandOption], stopsAtOperand: Bool = false
  ) throws(UsageError) -> Arguments {
    var parser = ArgumentParser(options: options)
    let result = lock.withLock { _ in
      Result { () throws(UsageError) in try parser.run(Array(words), stopsAtOperand) }
    }
    return try result.get()
  }

  private init(options: [CommandOption]) { self.options = options }

  private mutating func run(
    _ words: [String], _ stopsAtOperand: Bool
  ) throws(UsageError) -> Arguments {
    // The first word is the name of the program.
    let copies = ([""] + words).map { strdup(Self.mayBeOption($0) ? $0 : Self.mark + $0) }
    let names = options.map { strdup($0.long) }
    defer { for copy in copies + names { free(copy) } }
    let table =
      zip(options, names).enumerated().map { index, entry in
        CPlatform.option(
          name: entry.1, has_arg: entry.0.argument == nil ? no_argument : required_argument,
          flag: nil, val: Self.firstNumber + Int32(index))
      } + [CPlatform.option()]
    let letters = options.compactMap { option in
      option.short.map { "\($0)" + (option.argument == nil ? "" : ":") }
    }
    // A colon distinguishes a missing argument from an unknown option.
    let format = (stopsAtOperand ? "+:" : ":") + letters.joined()

    var order = copies + [nil]
    tributary_getopt_reset()
    while true {
      let word = tributary_getopt(Int32(copies.count), &order, format, table)
      guard word.code != -1 else {
        arguments.operands = order[Int(word.next)..<copies.count].map { text($0) }
        return arguments
      }
      guard let option = option(numbered: word.code) else {
        throw failure(word, text(order[Int(word.next) - 1]))
      }
      arguments.append(option, word.argument.map { text($0) } ?? "")
      // A request for help is granted, no matter what else is wrong with the line.
      if option == .help { return arguments }
    }
  }

  /// Precedes a word that begins like an option but cannot be one.
  private static let mark = "\u{1}"

  /// Whether a word that looks like an option may be one. An SQL script may begin with a comment.
  private static func mayBeOption(_ word: String) -> Bool {
    if word.hasPrefix(mark) { return false }
    guard word.hasPrefix("--"), let third = word.dropFirst(2).first else { return true }
    return !third.isWhitespace && !word.prefix { $0 != "=" }.contains(where: \.isNewline)
  }

  private func text(_ word: UnsafePointer<CChar>?) -> String {
    guard let text = word.map({ String(cString: $0) }) else { return "" }
    return text.hasPrefix(Self.mark) ? String(text.dropFirst()) : text
  }

  private func option(numbered code: Int32) -> CommandOption? {
    if code >= Self.firstNumber { return options[Int(code - Self.firstNumber)] }
    return options.first { $0.short.map { $0.asciiValue.map(Int32.init) == code } ?? false }
  }

  private func failure(_ word: tributary_word, _ text: String) -> UsageError {
    if let option = option(numbered: word.option) {
      let isLong = word.option >= Self.firstNumber || text.hasPrefix("--")
      let name = isLong ? "--\(option.long)" : "-\(option.short.map(String.init) ?? "")"
      return UsageError(
        word.code == Int32(UInt8(ascii: ":"))
          ? "option '\(name)' needs an argument" : "option '\(name)' takes no argument")
    }
    guard text.hasPrefix("--") else {
      let letter = UInt8(exactly: word.option).map { Character(Unicode.Scalar($0)) } ?? "?"
      return UsageError("unknown option '-\(letter)'")
    }
    let name = text.dropFirst(2).prefix { $0 != "=" }
    let candidates = options.filter { $0.long.hasPrefix(name) }
    guard candidates.count > 1, !name.isEmpty else {
      return UsageError("unknown option '--\(name)'")
    }
    let names = candidates.map { "--\($0.long)" }.joined(separator: " ")
    return UsageError("option '--\(name)' is ambiguous: \(names)")
  }
}
