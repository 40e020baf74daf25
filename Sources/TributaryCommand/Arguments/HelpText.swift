/// The help for a command, made from its table.
struct HelpText {
  private let syntax: Syntax
  /// The subcommands, for a command that has some.
  private let commands: [Syntax]

  private static let width = 79

  init(_ syntax: Syntax, commands: [Syntax] = []) {
    self.syntax = syntax
    self.commands = commands
  }

  /// The usage, such as `Usage: tributary sync STORE... [--watch] …`, in as many lines as
  /// necessary.
  var usage: String {
    let start = "Usage: \(syntax.name)"
    var lines = [start]
    let indentation = String(repeating: " ", count: "Usage: tributary ".count)
    for part in usageParts {
      if lines[lines.count - 1].count + 1 + part.count > Self.width {
        lines.append(indentation + part)
      } else {
        lines[lines.count - 1] += " " + part
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var usageParts: [String] {
    guard commands.isEmpty else { return ["COMMAND", "..."] }
    var parts = syntax.operands.map(\.spelling)
    var shown: Set<CommandOption> = []
    for option in syntax.ownOptions where !shown.contains(option) {
      let group = syntax.exclusive.first { $0.contains(option) } ?? [option]
      shown.formUnion(group)
      let text = group.map(\.spelling).joined(separator: " | ")
      let part = option.isRequired ? text : "[\(text)]"
      parts.append(option.isRepeatable ? part + "..." : part)
    }
    return parts
  }

  /// Everything that `--help` prints.
  var full: String {
    var text = usage + "\n" + sentence(syntax.summary) + "\n"
    if !syntax.details.isEmpty { text += "\n" + syntax.details + "\n" }
    if !commands.isEmpty {
      let prefix = syntax.path.isEmpty ? 0 : syntax.path.count + 1
      text += section("Commands", commands.map { (String($0.path.dropFirst(prefix)), $0.summary) })
    }
    text += section("Options", syntax.options.map { (spelling(of: $0), $0.help) })
    if !commands.isEmpty {
      text += "\n'\(syntax.name) COMMAND --help' says more about a command.\n"
    }
    return text
  }

  private func spelling(of option: CommandOption) -> String {
    (option.short.map { "-\($0), " } ?? "    ") + option.spelling
  }

  private func sentence(_ phrase: String) -> String {
    phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
  }

  private func section(_ title: String, _ rows: [(String, String)]) -> String {
    let column = (rows.map(\.0.count).max() ?? 0) + 4
    var text = "\n\(title):\n"
    for (left, right) in rows {
      var line = "  " + left + String(repeating: " ", count: column - 2 - left.count)
      for word in right.split(separator: " ") {
        if line.count + word.count > Self.width {
          text += trimmed(line) + "\n"
          line = String(repeating: " ", count: column)
        }
        line += word + " "
      }
      text += trimmed(line) + "\n"
    }
    return text
  }

  private func trimmed(_ line: String) -> Substring {
    line[...(line.lastIndex { $0 != " " } ?? line.startIndex)]
  }
}
