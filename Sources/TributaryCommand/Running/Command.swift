/// A command with everything that its command line said.
package protocol Command: SendableMetatype {
  /// What can stand on its command line.
  static var syntax: Syntax { get }

  /// - Parameter arguments: checked against the syntax.
  init(_ arguments: Arguments) throws(UsageError)

  func run(to output: Output) throws -> ExitStatus
}
