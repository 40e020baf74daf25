/// Tells options from operands, by the rules of GNU `getopt_long`.
///
/// Options may stand after operands, `--` ends them, `-` alone is an operand. Long options may be
/// shortened as long as they stay unique and take their argument after `=` or as the next word;
/// short ones may be joined and take the rest of the word or the next one. A pure function: the C
/// function keeps its place in global variables and obeys `POSIXLY_CORRECT`.
package struct ArgumentParser {
  private let options: [CommandOption]
  private let stopsAtOperand: Bool
  private var rest: ArraySlice<String>
  private var arguments = Arguments()

  /// - Parameter stopsAtOperand: whether everything from the first operand on is one, for commands
  ///   with subcommands.
  package static func parse(
    _ words: some Sequence<String>, options: [CommandOption], stopsAtOperand: Bool = false
  ) throws(UsageError) -> Arguments {
    var parser = ArgumentParser(
      options: options, stopsAtOperand: stopsAtOperand, rest: Array(words)[...])
    return try parser.run()
  }

  private init(options: [CommandOption], stopsAtOperand: Bool, rest: ArraySlice<String>) {
    self.options = options
    self.stopsAtOperand = stopsAtOperand
    self.rest = rest
  }

  private mutating func run() throws(UsageError) -> Arguments {
    while let word = rest.popFirst() {
      if word == "--" {
        break
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2))
      } else if word.hasPrefix("-"), word != "-" {
        try takeShort(word.dropFirst())
      } else {
        arguments.operands.append(word)
        if stopsAtOperand { break }
      }
      // Whoever asks for help gets it, whatever else is wrong with the line.
      if arguments.has(.help) { return arguments }
    }
    arguments.operands += rest
    return arguments
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    // Bytes: to characters, an accent could hide the sign before it.
    let sign = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = text[..<(sign ?? text.endIndex)]
    let attached = sign.map { text[text.utf8.index(after: $0)...] }
    let option = try option(named: name)
    guard option.argument != nil else {
      if attached != nil { throw UsageError("option '--\(option.long)' takes no argument") }
      return arguments.append(option, "")
    }
    guard let value = attached.map(String.init) ?? rest.popFirst() else {
      throw UsageError("option '--\(option.long)' needs an argument")
    }
    arguments.append(option, value)
  }

  private func option(named name: Substring) throws(UsageError) -> CommandOption {
    if let option = options.first(where: { $0.long == name }) { return option }
    let candidates = options.filter { $0.long.hasPrefix(name) }
    if candidates.count == 1, !name.isEmpty { return candidates[0] }
    if candidates.isEmpty || name.isEmpty { throw UsageError("unknown option '--\(name)'") }
    let names = candidates.map { "--\($0.long)" }.joined(separator: " ")
    throw UsageError("option '--\(name)' is ambiguous: \(names)")
  }

  private mutating func takeShort(_ letters: Substring) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw UsageError("unknown option '-\(letter)'")
      }
      guard option.argument != nil else {
        arguments.append(option, "")
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw UsageError("option '-\(letter)' needs an argument")
      }
      return arguments.append(option, value)
    }
  }
}
