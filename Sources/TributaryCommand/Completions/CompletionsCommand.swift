/// `tributary completions`: prints a script that teaches a shell the commands and options.
struct CompletionsCommand: Command {
  enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish
  }

  static let syntax = Syntax(
    "completions", summary: "print a script that completes command lines in a shell",
    operands: [Operand("SHELL", .choice(Shell.allCases.map(\.rawValue)))],
    details: """
      SHELL is bash, zsh or fish. To complete in the current session:
        bash   source <(tributary completions bash)
        zsh    source <(tributary completions zsh)
        fish   tributary completions fish | source
      """)

  private let shell: Shell

  init(_ arguments: Arguments) throws(UsageError) {
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw UsageError(
        "unknown shell '\(arguments.operands[0])', known are "
          + Shell.allCases.map(\.rawValue).joined(separator: ", "))
    }
    self.shell = shell
  }

  func run(to output: Output) throws -> ExitStatus {
    let nodes = CommandNode.root.flattened
    switch shell {
    case .bash: try output.write(BashCompletion.script(for: nodes))
    case .zsh: try output.write(ZshCompletion.script(for: nodes))
    case .fish: try output.write(FishCompletion.script(for: nodes))
    }
    return .done
  }
}
