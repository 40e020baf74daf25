/// The words of a command line, sorted out.
package struct Arguments: Hashable {
  /// By long name; an empty text for an option without an argument.
  private var values: [String: [String]] = [:]
  /// What was no option, in order.
  package var operands: [String] = []

  mutating func append(_ option: CommandOption, _ value: String) {
    values[option.long, default: []].append(value)
  }

  /// Gives an option, with these arguments alone; without any, not at all.
  mutating func set(_ option: CommandOption, _ arguments: [String]) {
    values[option.long] = arguments.isEmpty ? nil : arguments
  }

  /// The same as a command line: the operands, then the options in the order of their table.
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

  /// The argument of an option, of its last occurrence; `nil` when it was not given.
  package subscript(option: CommandOption) -> String? { values[option.long]?.last }

  /// The arguments of all occurrences.
  package func all(_ option: CommandOption) -> [String] { values[option.long] ?? [] }

  /// The argument of an option that the command needs.
  ///
  /// - Precondition: `check(against:)` has passed.
  func required(_ option: CommandOption) -> String {
    guard let value = self[option] else { preconditionFailure("\(option.long) was not checked") }
    return value
  }

  /// The argument of an option, or an error when it is empty.
  func nonempty(_ option: CommandOption) throws(UsageError) -> String? {
    guard let value = self[option] else { return nil }
    guard !value.isEmpty else { throw UsageError("the argument of --\(option.long) is empty") }
    return value
  }

  /// The names in the arguments of an option, separated by commas.
  func list(_ option: CommandOption) throws(UsageError) -> [String]? {
    guard has(option) else { return nil }
    let names = all(option).flatMap {
      $0.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
    }
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("--\(option.long) has an empty name in its list")
    }
    return names
  }

  /// Checks what the table of the command says of operands and options.
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
    if let extra = rest.first { throw UsageError("'\(extra)' is one word too many") }
  }
}
