/// A command with everything from its command line.
package protocol Command: SendableMetatype {
  /// The syntax of its command line.
  static var syntax: Syntax { get }

  /// Makes the command.
  ///
  /// - Parameter arguments: checked against the syntax.
  init(_ arguments: Arguments) throws(UsageError)

  func run(to output: Output) throws -> ExitStatus
}
