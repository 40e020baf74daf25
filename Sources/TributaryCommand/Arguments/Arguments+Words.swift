extension Arguments {
  /// Reads options that are words without dashes, each followed by its argument if it takes one. Callers
  /// other than a shell give them in this form.
  package init(
    operands: [String] = [], words: [String], options: [CommandOption]
  ) throws(UsageError) {
    self.init()
    self.operands = operands
    var rest = words[...]
    while let word = rest.popFirst() {
      guard let option = options.first(where: { $0.long == word }) else {
        let names = options.map(\.long).joined(separator: ", ")
        throw UsageError("there is no option '\(word)'; the options are \(names)")
      }
      guard let name = option.argument else {
        append(option, "")
        continue
      }
      guard let argument = rest.popFirst() else {
        throw UsageError("the option '\(word)' needs an argument after it: \(name)")
      }
      append(option, argument)
    }
  }
}
