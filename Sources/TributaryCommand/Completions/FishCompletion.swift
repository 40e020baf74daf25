/// The completion script for fish: one `complete` for each command and option.
enum FishCompletion {
  static func script(for nodes: [CommandNode]) -> String {
    var text = """
      # fish completion for tributary
      function __tributary_at
        set -l words
        for word in (commandline -opc)[2..]
          string match -q -- '-*' $word; or set -a words $word
        end
        set -l wanted (string split -n ' ' -- $argv[1])
        for index in (seq (count $wanted))
          test "$words[$index]" = "$wanted[$index]"; or return 1
        end
        test -z "$argv[2]"; or test (count $words) -eq (count $wanted)
      end
      complete -c tributary -f

      """
    for node in nodes { text += lines(for: node).map { $0 + "\n" }.joined() }
    return text
  }

  private static func lines(for node: CommandNode) -> [String] {
    let syntax = node.syntax
    let exact = "complete -c tributary -n \"__tributary_at '\(syntax.path)' exactly\""
    // The options of a group apply to the group alone; those of a command apply to everything that
    // follows it.
    let start =
      node.children.isEmpty
      ? "complete -c tributary -n \"__tributary_at '\(syntax.path)'\"" : exact
    var lines: [String] = []
    for child in node.children {
      lines.append("\(exact) -a \(child.word) -d \(quoted(child.syntax.summary))")
    }
    if node.children.isEmpty,
      let operand = syntax.operands.first(where: { $0.kind != .text }) ?? syntax.operands.first
    {
      switch operand.kind {
      case .file, .directory: lines.append("\(start) -F")
      case .choice(let words): lines.append("\(start) -a \(quoted(words.joined(separator: " ")))")
      case .text: break
      }
    }
    for option in syntax.options {
      var line = "\(start) -l \(option.long)" + (option.short.map { " -s \($0)" } ?? "")
      if option.argument != nil {
        switch option.kind {
        case .file: line += " -r -F"
        case .directory: line += " -x -a '(__fish_complete_directories)'"
        case .choice(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
        case .text: line += " -x"
        }
      }
      lines.append("\(line) -d \(quoted(option.help))")
    }
    return lines
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "'"
  }
}
