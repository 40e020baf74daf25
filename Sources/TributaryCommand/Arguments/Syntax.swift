/// Everything that there is to know about the command line of one command, in one place.
package struct Syntax: Sendable {
  /// The words that call it, without the first: `log show`; empty for the command as a whole.
  package let path: String
  /// One line, without a full stop.
  let summary: String
  let operands: [Operand]
  /// Its own options, in the order of the help.
  let ownOptions: [CommandOption]
  /// Options of which at most one can be given.
  let exclusive: [[CommandOption]]
  /// What else the help says, in lines of at most 79 columns.
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

  /// Also those that every command takes.
  package var options: [CommandOption] { ownOptions + CommandOption.common }

  /// As it is called: `tributary log show`.
  package var name: String { path.isEmpty ? "tributary" : "tributary \(path)" }
}
