import TributaryCore

extension SchemaObject {
  /// Reads which object a statement creates; `nil` if it does not begin as SQLite stores such statements.
  package init?(sql: String) {
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    var place = 0
    func skip(_ words: String...) -> Bool {
      guard place + words.count <= tokens.count,
        zip(tokens[place...], words).allSatisfy({ $0.isWord($1) })
      else { return false }
      place += words.count
      return true
    }
    guard skip("CREATE") else { return nil }
    _ = skip("UNIQUE")
    if skip("VIRTUAL", "TABLE") || skip("TABLE") {
      type = "table"
    } else if skip("INDEX") {
      type = "index"
    } else if skip("VIEW") {
      type = "view"
    } else if skip("TRIGGER") {
      type = "trigger"
    } else {
      return nil
    }
    _ = skip("IF", "NOT", "EXISTS")
    guard place < tokens.count, let name = tokens[place].name else { return nil }
    self.name = name
    self.sql = sql
    table = name
    if type == "index" || type == "trigger" {
      // Neither the time nor the event of a trigger can be spelled like this unless it is quoted.
      guard let on = tokens[place...].dropFirst().firstIndex(where: { $0.isWord("ON") }),
        on + 1 < tokens.count, let table = tokens[on + 1].name
      else { return nil }
      self.table = table
    }
  }

  /// Whether its text contains one of the names.
  package func mentions(_ names: Set<SQLName>) -> Bool {
    SQLScanner(Array(sql.utf8)).tokens.contains { token in
      token.name.map { names.contains(SQLName($0)) } ?? false
    }
  }
}
