/// The complete syntax of one command's command line, in one place.
package struct Syntax: Sendable {
  /// The words that call the command, without the first: `log show`. Empty for the whole command.
  package let path: String
  /// The summary, in one line without a full stop.
  let summary: String
  let operands: [Operand]
  /// The command's own options, in the order of the help.
  let ownOptions: [CommandOption]
  /// Groups of options of which at most one can be given.
  let exclusive: [[CommandOption]]
  /// Further help, in lines of at most 79 columns.
  let details: String

  init(
    _ path: String, summary: String, operands: [Operand] = [], options: [CommandOption] = [],
    exclusive: [[CommandOption]] = [], details: String = ""
  ) {
    self.path = path
    self.summary = summary
    self.operands = operands
    ownOptions = options
    self.exclusive = exclusive
    self.details = details
  }

  /// All options, including those that every command takes.
  package var options: [CommandOption] { ownOptions + CommandOption.common }

  /// The command as you call it, e.g. `tributary log show`.
  package var name: String { path.isEmpty ? "tributary" : "tributary \(path)" }
}
