import TributaryCore

/// The parts of a statement that makes an ordinary table.
package struct TableText {
  package struct Column {
    var name: String
    /// Its definition, as written in the statement, beginning with the name.
    var text: String
    var normal: NormalSQL
  }

  package private(set) var columns: [Column] = []
  /// The constraints that are declared for the table rather than for one column.
  private(set) var constraints: [NormalSQL] = []
  /// What follows the last parenthesis, such as STRICT.
  let options: NormalSQL

  /// Reads a statement.
  ///
  /// - Returns: `nil` if it has no list of columns.
  package init?(_ sql: String) {
    let bytes = Array(sql.utf8)
    let tokens = SQLScanner(bytes).placedTokens
    guard let object = SchemaObject(sql: sql), object.type == "table", !object.isVirtual,
      let open = tokens.firstIndex(where: { $0.token == .symbol(UInt8(ascii: "(")) }),
      // Nothing comes between the name and the list of columns.
      open > 0, tokens[open - 1].token.name.map({ SQLName($0) == SQLName(object.name) }) ?? false
    else { return nil }
    var items: [Range<Int>] = []
    var start = open + 1
    var depth = 1
    var end: Int?
    for place in tokens.indices[(open + 1)...] {
      switch tokens[place].token {
      case .symbol(UInt8(ascii: "(")): depth += 1
      case .symbol(UInt8(ascii: ")")): depth -= 1
      case .symbol(UInt8(ascii: ",")) where depth == 1:
        items.append(start..<place)
        start = place + 1
      default: break
      }
      if depth == 0 {
        items.append(start..<place)
        end = place
        break
      }
    }
    guard let end else { return nil }
    options = NormalSQL(tokens[(end + 1)...].map(\.token))
    for item in items {
      guard let first = item.first, let last = item.last else { return nil }
      let normal = NormalSQL(tokens[item].map(\.token))
      if tokens[first].token.isTableConstraint {
        constraints.append(normal)
        continue
      }
      guard let name = tokens[first].token.name else { return nil }
      let range = tokens[first].range.lowerBound..<tokens[last].range.upperBound
      columns.append(
        Column(
          name: name, text: String(decoding: bytes[range], as: UTF8.self), normal: normal))
    }
  }

  /// The names of the columns.
  var names: Set<SQLName> { Set(columns.map { SQLName($0.name) }) }
}

extension SQLScanner.Token {
  /// Whether a constraint of a table begins with this token.
  fileprivate var isTableConstraint: Bool {
    ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(where: isWord)
  }
}

extension SchemaObject {
  /// Whether it is a virtual table.
  package var isVirtual: Bool {
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    return tokens.count > 1 && tokens[1].isWord("VIRTUAL")
  }
}
