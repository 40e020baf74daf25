import TributaryCore
import TributarySQLite

extension Database {
  /// Runs the script of a migration, except the statements that make what following has already made, because
  /// another device has run the same migration.
  func execute(migration script: String) throws {
    let followed = FollowedSchema(connection)
    guard try !followed.statements().isEmpty else { return try execute(script) }
    var rest = Connection.script(script)
    while !rest.isEmpty {
      let length = SQLScanner(Array(rest.dropLast())).firstStatementLength
      if length > 0,
        try followed.hasMade(String(decoding: rest.prefix(length), as: UTF8.self))
      {
        rest = rest.dropFirst(length)
        continue
      }
      guard let statement = try prepareFirst(of: &rest) else { return }
      try run(statement, []) { _ in }
    }
  }
}

extension SQLScanner {
  /// The number of bytes of the first statement of a script, including its semicolon.
  fileprivate var firstStatementLength: Int {
    let tokens = placedTokens
    let isTrigger =
      tokens.first?.token.isWord("CREATE") == true
      && tokens.dropFirst().prefix(2).contains { $0.token.isWord("TRIGGER") }
    var last: Token?
    for (token, range) in tokens {
      // Statements inside a trigger end the same way; only the last semicolon comes after END.
      if token == .symbol(UInt8(ascii: ";")), !isTrigger || last?.isWord("END") == true {
        return range.upperBound
      }
      last = token
    }
    return bytes.count
  }
}
