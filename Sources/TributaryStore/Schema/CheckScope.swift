import TributaryCore

/// Which columns the CHECK constraints of a table bind together.
package enum CheckScope: Sendable {
  /// There are none, or each concerns only its own column.
  case ownColumns
  /// A constraint was declared for the table, and names at most one column.
  case table
  /// A constraint names several columns, or a column that is computed from others.
  case severalColumns

  /// Reads the statement that makes a table.
  ///
  /// Names that only look like columns make the scope larger, never smaller.
  init(sql: String, columns: [TableDescription.Column]) {
    self = .ownColumns
    var names: [SQLName: Bool] = [:]
    for column in columns { names[SQLName(column.name)] = column.isGenerated }
    for item in Self.items(of: sql) {
      let owner = item.column.map(SQLName.init(_:))
      for check in item.checks {
        var named = Set(check.filter { names[$0] != nil })
        let isComputed = named.contains { names[$0] == true }
        if let owner { named.insert(owner) }
        if named.count > 1 || isComputed || owner.flatMap({ names[$0] }) == true {
          self = .severalColumns
        } else if owner == nil, self == .ownColumns {
          self = .table
        }
      }
    }
  }

  private struct Item {
    /// The column; `nil` for a constraint of the table.
    var column: String?
    /// The names in each of its CHECKs.
    var checks: [[SQLName]] = []
  }

  /// Returns the columns and constraints, which commas separate.
  private static func items(of sql: String) -> [Item] {
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    guard let start = tokens.firstIndex(of: .symbol(UInt8(ascii: "("))) else { return [] }
    var items: [Item] = []
    var depth = 1
    var isAtStart = true
    var checkDepth: Int?
    for index in tokens.indices[(start + 1)...] {
      let token = tokens[index]
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      let opensNext = next == .symbol(UInt8(ascii: "("))
      switch token {
      case .symbol(UInt8(ascii: "(")):
        depth += 1
        continue
      case .symbol(UInt8(ascii: ")")):
        depth -= 1
        if let inside = checkDepth, depth < inside { checkDepth = nil }
        if depth == 0 { return items }
        continue
      case .symbol(UInt8(ascii: ",")) where depth == 1:
        isAtStart = true
        continue
      default: break
      }
      if isAtStart {
        isAtStart = false
        items.append(Item(column: token.isConstraint ? nil : token.name))
      }
      if depth == 1, token.isWord("CHECK"), opensNext {
        items[items.count - 1].checks.append([])
        checkDepth = 2
      } else if checkDepth != nil, let name = token.name, !token.isText, !opensNext {
        items[items.count - 1].checks[items[items.count - 1].checks.count - 1]
          .append(SQLName(name))
      }
    }
    return items
  }
}

extension SQLScanner.Token {
  /// Whether a constraint of the table begins with this token.
  fileprivate var isConstraint: Bool {
    ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(where: isWord)
  }
}
