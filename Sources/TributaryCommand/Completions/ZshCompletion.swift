/// The completion script for zsh: a function for each command, which calls `_arguments`.
enum ZshCompletion {
  static func script(for nodes: [CommandNode]) -> String {
    var text = "#compdef tributary\n"
    for node in nodes { text += function(node) }
    text += """

      if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
        _tributary "$@"
      else
        compdef _tributary tributary
      fi

      """
    return text
  }

  private static func name(_ node: CommandNode) -> String {
    "_tributary" + node.syntax.path.split(separator: " ").map { "_" + $0 }.joined()
  }

  private static func function(_ node: CommandNode) -> String {
    var lines = node.syntax.options.map(specification)
    guard !node.children.isEmpty else {
      for operand in node.syntax.operands {
        let mark = operand.isRepeated ? "*:" : operand.isOptional ? "::" : ":"
        lines.append("'\(mark)\(operand.name):\(action(operand.kind))'")
      }
      return "\n\(name(node))() {\n  _arguments -S \(continued(lines))\n}\n"
    }
    lines += ["'1:command:->command'", "'*::argument:->argument'"]
    let commands = node.children.map {
      "        '\($0.word):\(escaped($0.syntax.summary))'\n"
    }.joined()
    let calls = node.children.map { "        \($0.word)) \(name($0)) ;;\n" }.joined()
    return """

      \(name(node))() {
        local context state state_descr line
        typeset -A opt_args
        local -a commands
        _arguments -C -S \(continued(lines))
        case $state in
          command)
            commands=(
      \(commands)      )
            _describe command commands ;;
          argument)
            case $words[1] in
      \(calls)      esac ;;
        esac
      }

      """
  }

  private static func continued(_ lines: [String]) -> String {
    lines.map { "\\\n    \($0)" }.joined(separator: " ")
  }

  private static func specification(_ option: CommandOption) -> String {
    let names = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.long)"]
    let argument = option.argument.map { ":\(escaped($0)):\(action(option.kind))" } ?? ""
    let rest = "[\(escaped(option.help))]\(argument)'"
    if option.isRepeatable { return "'*\(names.last ?? "")\(rest)" }
    guard names.count > 1 else { return "'\(names[0])\(rest)" }
    return "'(\(names.joined(separator: " ")))'{\(names.joined(separator: ","))}'\(rest)"
  }

  private static func action(_ kind: ValueKind) -> String {
    switch kind {
    case .file: "_files"
    case .directory: "_files -/"
    case .text: " "
    case .choice(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "'": escaped += #"'\''"#
      case "[", "]", ":", "\\": escaped += "\\\(character)"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
