import TributaryCore

/// Runs command lines.
package enum CommandRunner {
  /// Runs a command line, from parsing it to flushing its output.
  ///
  /// - Parameter words: the command line without the name of the program.
  package static func run(_ words: [String], to output: Output) -> ExitStatus {
    Wording.$current.withValue(.command) {
      let status = attempt(to: output) { try run(words, at: .root, to: output) }
      output.clearProgress()
      return attempt(to: output) {
        try output.flush()
        return status
      }
    }
  }

  private static func attempt(
    to output: Output, _ body: () throws -> ExitStatus
  ) -> ExitStatus {
    do {
      return try body()
    } catch OutputError.closed {
      return .closedOutput
    } catch let error as OutputError {
      output.problem(errorText(error, done: output.done))
      return .failed
    } catch {
      output.problem(errorText(error))
      return .failed
    }
  }

  private static func run(
    _ words: [String], at node: CommandNode, to output: Output
  ) throws -> ExitStatus {
    do {
      let arguments = try ArgumentParser.parse(
        words, options: node.syntax.options, stopsAtOperand: !node.children.isEmpty)
      if arguments.has(.help) {
        try output.write(node.help.full)
        return .done
      }
      if arguments.has(.version) {
        try output.line("tributary \(Version.text)")
        return .done
      }
      if arguments.has(.quiet) { output.isQuiet = true }
      switch node {
      case .command(let type):
        try arguments.check(against: node.syntax)
        // Errors in the line are reported before a document is rebuilt for it.
        let command = try type.init(arguments)
        let resolved = try DocumentArguments.resolved(arguments, node.syntax)
        return try (resolved == arguments ? command : type.init(resolved)).run(to: output)
      case .group:
        guard let word = arguments.operands.first else { throw UsageError("COMMAND is missing") }
        let (child, unknown) = node.find(CollectionOfOne(word))
        if let unknown { throw UsageError("unknown command '\(unknown)'") }
        return try run(Array(arguments.operands.dropFirst()), at: child, to: output)
      }
    } catch let error as UsageError {
      output.writeError(
        "\(node.syntax.name): \(Escaping.escaped(error.message))\n\(node.help.usage)"
          + "'\(node.syntax.name) --help' says more.\n")
      return .usage
    }
  }
}
