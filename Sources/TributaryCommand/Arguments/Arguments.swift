import TributaryStore

/// The parsed words of a command line.
package struct Arguments: Hashable {
  /// The arguments by long name; empty text for an option without an argument.
  private var values: [String: [String]] = [:]
  /// The words that are not options, in order.
  package var operands: [String] = []

  mutating func append(_ option: CommandOption, _ value: String) {
    values[option.long, default: []].append(value)
  }

  /// Sets an option to these arguments; without any, removes it.
  mutating func set(_ option: CommandOption, _ arguments: [String]) {
    values[option.long] = arguments.isEmpty ? nil : arguments
  }

  /// Returns an equivalent command line: the operands, then the options in the order of their
  /// table.
  func words(for syntax: Syntax) -> [String] {
    let options = syntax.options.flatMap { option in
      all(option).flatMap {
        option.argument == nil ? ["--\(option.long)"] : ["--\(option.long)", $0]
      }
    }
    return operands.contains { $0.hasPrefix("-") && $0 != "-" }
      ? options + ["--"] + operands : operands + options
  }

  package func has(_ option: CommandOption) -> Bool { values[option.long] != nil }

  /// The argument of an option's last occurrence; `nil` if it was not given.
  package subscript(option: CommandOption) -> String? { values[option.long]?.last }

  /// Returns the arguments of all occurrences.
  package func all(_ option: CommandOption) -> [String] { values[option.long] ?? [] }

  /// Returns the argument of an option that the command requires.
  ///
  /// - Precondition: `check(against:)` has passed.
  func required(_ option: CommandOption) -> String {
    guard let value = self[option] else { preconditionFailure("\(option.long) was not checked") }
    return value
  }

  /// Returns the argument of an option, or throws if it is empty.
  func nonempty(_ option: CommandOption) throws(UsageError) -> String? {
    guard let value = self[option] else { return nil }
    guard !value.isEmpty else { throw UsageError("the argument of --\(option.long) is empty") }
    return value
  }

  /// Returns the names in the arguments of an option, separated by commas; see `ListText`.
  func list(_ option: CommandOption) throws(UsageError) -> [String]? {
    guard has(option) else { return nil }
    let names = all(option).flatMap(ListText.names)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("--\(option.long) has an empty name in its list")
    }
    return names
  }

  /// Checks the operands and options against the table of the command.
  func check(against syntax: Syntax) throws(UsageError) {
    try checkOperands(syntax.operands)
    for option in syntax.options where option.isRequired && !has(option) {
      throw UsageError("\(option.spelling) is missing")
    }
    for group in syntax.exclusive {
      let given = group.filter(has)
      if given.count > 1 {
        throw UsageError("--\(given[0].long) and --\(given[1].long) exclude each other")
      }
    }
  }

  private func checkOperands(_ expected: [Operand]) throws(UsageError) {
    var rest = operands[...]
    for operand in expected {
      guard !rest.isEmpty else {
        if operand.isOptional { return }
        throw UsageError("\(operand.name) is missing")
      }
      let words = operand.isRepeated ? rest : rest.prefix(1)
      rest = rest.dropFirst(words.count)
      if operand.kind != .text, words.contains("") {
        throw UsageError("\(operand.name) is empty")
      }
    }
    if let extra = rest.first { throw UsageError("unexpected argument '\(extra)'") }
  }
}
