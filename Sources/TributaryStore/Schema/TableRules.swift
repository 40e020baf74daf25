import TributaryCore
import TributarySQLite

/// What a table requires of its rows and gives them by default, in a form that can be compared with the same
/// table on another device.
package struct TableRules: Equatable {
  /// The expressions of DEFAULT, by column, except those that mean NULL.
  package var defaults: [SQLName: String] = [:]
  /// UNIQUE, NOT NULL, CHECK and FOREIGN KEY, each as SQL.
  package var constraints: Set<String> = []

  /// The UNIQUE keys among the constraints.
  package var uniqueKeys: Set<String> { constraints.filter { $0.hasPrefix("UNIQUE ") } }

  /// Reads only the defaults.
  package init(defaultsOf table: TableDescription) {
    for column in table.columns where !column.isGenerated && column.mayDifferFromDefault {
      defaults[SQLName(column.name)] = column.defaultExpression
    }
  }

  package init(_ table: TableDescription, _ connection: Connection) throws {
    self.init(defaultsOf: table)
    for column in table.columns where !column.isGenerated && column.isNotNull {
      constraints.insert("\(SQLName(column.name).folded) NOT NULL")
    }
    for key in try UniqueKey.keys(of: table, besidesKey: false, connection) {
      let prefix = table.name.quotedIdentifier + "."
      let terms = zip(key.terms, key.collations).map { term, collation in
        let name = term.hasPrefix(prefix) ? String(term.dropFirst(prefix.count)) : term
        return Self.normal(name) + (collation == .binary ? "" : " COLLATE \(collation.sqlName)")
      }
      let condition = key.condition.map { " WHERE " + Self.normal($0) } ?? ""
      constraints.insert("UNIQUE (\(terms.joined(separator: ", ")))\(condition)")
    }
    for check in Self.checks(table.sql) { constraints.insert("CHECK (\(check))") }
    try addReferences(of: table, connection)
  }

  private mutating func addReferences(
    of table: TableDescription, _ connection: Connection
  ) throws {
    let statement = try connection.prepare(
      """
      SELECT group_concat("from"), "table", group_concat("to"), on_delete
      FROM (SELECT * FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq) GROUP BY id
      """)
    try statement.bind([.string(table.name)])
    while try statement.step() {
      let columns = statement.isNull(2) ? "" : " (\(statement.string(2)))"
      constraints.insert(
        SQLName("FOREIGN KEY (\(statement.string(0))) REFERENCES \(statement.string(1))\(columns)")
          .folded
          + " ON DELETE \(statement.string(3))")
    }
  }

  /// Whether two expressions always have the same value.
  package static func areSame(
    _ a: String?, _ b: String?, _ connection: Connection
  ) throws -> Bool {
    let (a, b) = (a ?? "NULL", b ?? "NULL")
    if normal(a) == normal(b) { return true }
    guard isLiteral(a), isLiteral(b) else { return false }
    let statement = try connection.prepare("SELECT \(a), \(b)")
    guard try statement.step() else { return false }
    return statement.value(0).hasSameBits(as: statement.value(1))
  }

  /// Whether text contains no functions or names, which may have a different value each time.
  static func isLiteral(_ text: String) -> Bool {
    SQLScanner(Array(text.utf8)).tokens.allSatisfy { token in
      switch token {
      case .text, .symbol: true
      case .quoted: false
      case .word(let word):
        word.first?.isNumber == true
          || ["NULL", "TRUE", "FALSE", "X"].contains(word.uppercased())
      }
    }
  }

  /// Returns the expression of each CHECK.
  private static func checks(_ sql: String) -> [String] {
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    var checks: [String] = []
    for start in tokens.indices.dropLast() where tokens[start].isWord("CHECK") {
      guard tokens[start + 1] == .symbol(UInt8(ascii: "(")) else { continue }
      var depth = 0
      let inner = tokens[(start + 1)...].prefix { token in
        if token == .symbol(UInt8(ascii: "(")) { depth += 1 }
        if token == .symbol(UInt8(ascii: ")")) { depth -= 1 }
        return depth > 0
      }
      checks.append(text(inner.dropFirst()))
    }
    return checks
  }

  /// Normalises spaces, comments and the case of keywords.
  private static func normal(_ sql: String) -> String {
    text(SQLScanner(Array(sql.utf8)).tokens[...])
  }

  /// Operators of two characters.
  private static let operators: Set<String> = [
    "<>", "<=", ">=", "==", "!=", "<<", ">>", "||", "->",
  ]

  /// Returns the tokens as people write them, whatever stood between them.
  private static func text(_ tokens: ArraySlice<SQLScanner.Token>) -> String {
    var text = ""
    var last = ""
    for token in tokens {
      let next =
        switch token {
        case .word(let word): SQLName(word).folded
        case .quoted(let name): SQLName(name).folded
        case .text(let text): "'\(text)'"
        case .symbol(let byte): String(UnicodeScalar(byte))
        }
      let isClose =
        text.isEmpty || last == "(" || next == ")" || next == "," || operators.contains(last + next)
      text += (isClose ? "" : " ") + next
      last = if case .symbol = token { next } else { "" }
    }
    return text
  }
}
