/// A node in the tree of commands.
package enum CommandNode: Sendable {
  case command(any Command.Type)
  /// A word that requires another one after it.
  case group(Syntax, [CommandNode])

  package var syntax: Syntax {
    switch self {
    case .command(let command): command.syntax
    case .group(let syntax, _): syntax
    }
  }

  /// The last word of its call.
  package var word: String { String(syntax.path.split(separator: " ").last ?? "") }

  package var children: [CommandNode] {
    if case .group(_, let children) = self { children } else { [] }
  }

  /// All commands and groups of this subtree, this one first.
  package var flattened: [CommandNode] { [self] + children.flatMap(\.flattened) }

  var help: HelpText { HelpText(syntax, commands: children.map(\.syntax)) }

  /// Follows the words as far as they lead towards a command.
  ///
  /// - Returns: the node reached, and the word that led nowhere.
  func find(_ words: some Sequence<String>) -> (node: CommandNode, unknown: String?) {
    var node = self
    for word in words {
      guard let child = node.children.first(where: { $0.word == word }) else { return (node, word) }
      node = child
    }
    return (node, nil)
  }
}
