/// `tributary help`: prints what `--help` prints.
struct HelpCommand: Command {
  static let syntax = Syntax(
    "help", summary: "print the help of a command",
    operands: [Operand("COMMAND", .text, isOptional: true, isRepeated: true)])

  private let node: CommandNode

  init(_ arguments: Arguments) throws(UsageError) {
    let (node, unknown) = CommandNode.root.find(arguments.operands)
    if let unknown { throw UsageError("unknown command '\(unknown)'") }
    self.node = node
  }

  func run(to output: Output) throws -> ExitStatus {
    try output.write(node.help.full)
    return .done
  }
}
