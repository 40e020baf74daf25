import TributarySync

/// Attaching with the options of `tributary attach`, for callers other than a shell.
package struct AttachOperation {
  private let store: String
  private let command: AttachCommand

  /// Reads the options.
  ///
  /// - Parameter options: words without dashes; `Arguments(operands:words:options:)` says how.
  package init(store: String, options: [String]) throws(UsageError) {
    let syntax = AttachCommand.syntax
    let arguments = try Arguments(
      operands: [store], words: options, options: syntax.ownOptions.filter { $0 != .json })
    try arguments.check(against: syntax)
    self.store = store
    command = try AttachCommand(arguments)
  }

  /// Attaches, or only examines if `dry-run` is given.
  ///
  /// - Returns: the line of `attach --json`, and the files that could not be read.
  /// - Throws: what prevents attaching. Nothing has changed then.
  package func run() throws -> (json: String, damaged: [(path: String, reason: String)]) {
    let request = try command.request()
    let report = try command.isRehearsal ? Engine.rehearse(request) : Engine.attach(request)
    return (AttachPrinter(store: store, report: report, command: nil).json, report.damaged)
  }
}
