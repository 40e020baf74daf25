/// The completion script for bash.
///
/// Its one function goes through the words to find the command, and then offers what is in the
/// command's table.
enum BashCompletion {
  static func script(for nodes: [CommandNode]) -> String {
    var text = """
      # bash completion for tributary
      _tributary() {
        local word=${COMP_WORDS[COMP_CWORD]} command= index
        for ((index = 1; index < COMP_CWORD; index++)); do
          case "$command ${COMP_WORDS[index]}" in

      """
    for path in nodes.map(\.syntax.path) where !path.isEmpty {
      let words = path.split(separator: " ")
      let parent = words.dropLast().joined(separator: " ")
      text += "      \"\(parent) \(words.last ?? "")\") command=\"\(path)\" ;;\n"
    }
    text += """
          esac
        done
        local options= words= kind=
        case "$command" in

      """
    for node in nodes { text += branch(node) }
    text += """
        esac
        case "$kind" in
          file | directory)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -A "$kind" -- "$word")
            return ;;
          text) return ;;
        esac
        if [[ $word == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        else
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        fi
      }
      complete -F _tributary tributary

      """
    return text
  }

  private static func branch(_ node: CommandNode) -> String {
    let syntax = node.syntax
    let options = syntax.options.map { "--\($0.long)" }.joined(separator: " ")
    var text = "    \"\(syntax.path)\")\n      options=\"\(options)\"\n"
    if !node.children.isEmpty {
      text += "      words=\"\(node.children.map(\.word).joined(separator: " "))\"\n"
    } else if let operand = syntax.operands.first(where: { $0.kind != .text })
      ?? syntax.operands.first
    {
      text += "      [[ $word == -* ]] || \(assignment(operand.kind))\n"
    }
    let withArgument = syntax.options.filter { $0.argument != nil }
    if !withArgument.isEmpty {
      text += "      case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n"
      for option in withArgument {
        text += "        --\(option.long)) \(assignment(option.kind)) ;;\n"
      }
      text += "      esac\n"
    }
    return text + "      ;;\n"
  }

  private static func assignment(_ kind: ValueKind) -> String {
    switch kind {
    case .file: "kind=file"
    case .directory: "kind=directory"
    case .text: "kind=text"
    case .choice(let words): "kind= words=\"\(words.joined(separator: " "))\""
    }
  }
}
