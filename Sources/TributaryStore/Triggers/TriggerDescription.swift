import TributaryCore
import TributarySQLite

/// What a trigger writes, as read from the statement that makes it.
struct TriggerDescription {
  let name: String
  /// The table or view to which it belongs.
  let table: String
  let sql: String
  /// The tables and views to which its statements write, except those that are left out.
  private(set) var targets: Set<SQLName>
  /// The tables and views to which a copy does not write.
  private var leftOut: Set<SQLName> = []
  /// Whether it may refuse the statement that fires it.
  let mayRefuse: Bool
  /// Whether it fires for deleted rows.
  let firesOnDelete: Bool

  init(name: String, table: String, sql: String) {
    self.name = name
    self.table = table
    self.sql = sql
    let tokens = SQLScanner(Array(sql.utf8)).tokens
    targets = Self.targets(tokens)
    // Unquoted, this word can only be the event.
    firesOnDelete =
      tokens.first { event in
        ["DELETE", "INSERT", "UPDATE"].contains(where: event.isWord)
      }?.isWord("DELETE") ?? false
    mayRefuse = zip(tokens, tokens.dropFirst()).contains {
      $0.isWord("RAISE") && $1 == .symbol(UInt8(ascii: "("))
    }
  }

  /// Returns the trigger without the statements that write to certain tables or views.
  func writingNone(of targets: Set<SQLName>) -> TriggerDescription {
    var trigger = self
    trigger.targets.subtract(targets)
    trigger.leftOut.formUnion(targets)
    return trigger
  }

  /// Returns a statement that makes a temporary trigger with another name that does the same while a
  /// condition holds, except for what is left out.
  ///
  /// - Parameter table: the table to which it belongs, in SQL; `nil` means its own.
  func copy(named name: String, on table: String? = nil, when condition: String) -> String {
    // SQLite stores the statement with these words and one space before the name.
    let scanner = SQLScanner(Array(sql.utf8.dropFirst("CREATE TRIGGER ".utf8.count)))
    let placed = scanner.placedTokens
    let tokens = placed.map(\.token)
    guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 1 < tokens.count,
      let body = Self.bodyStart(tokens)
    else { preconditionFailure("SQLite has compiled what is no trigger: \(sql)") }
    func text(_ range: Range<Int>) -> String {
      String(decoding: scanner.bytes[range], as: UTF8.self)
    }
    let begin = placed[body - 1].range.lowerBound
    // The name may include its schema.
    let last =
      on + 3 < tokens.count && tokens[on + 2] == .symbol(UInt8(ascii: ".")) ? on + 3 : on + 1
    let own = text(placed[on + 1].range.lowerBound..<placed[last].range.upperBound)
    let head = text(scanner.endOfFirstToken..<placed[on + 1].range.lowerBound)
    var guarded = condition
    if let when = tokens[(last + 1)..<(body - 1)].firstIndex(where: { $0.isWord("WHEN") }) {
      // A comment in it extends to the end of its line.
      guarded += " AND (\(text(placed[when].range.upperBound..<begin))\n)"
    }
    var statements = text(begin..<scanner.bytes.count)
    if !leftOut.isEmpty {
      let kept = Self.statements(tokens, from: body).filter { statement in
        Self.target(Array(tokens[statement])).map { !leftOut.contains(SQLName($0)) } ?? false
      }
      // Comments extend to the end of their line.
      statements =
        "BEGIN "
        + kept.map {
          text(placed[$0.lowerBound].range.lowerBound..<placed[$0.upperBound - 1].range.upperBound)
            + ";\n"
        }
        .joined() + "END"
    }
    return """
      CREATE TEMP TRIGGER \(name.quotedIdentifier) \(head)\(table ?? own)
      FOR EACH ROW WHEN \(guarded) \(statements)
      """
  }

  private static let beginnings = ["INSERT", "REPLACE", "UPDATE", "DELETE", "SELECT"]

  private static func targets(_ tokens: [SQLScanner.Token]) -> Set<SQLName> {
    var targets: Set<SQLName> = []
    guard let begin = bodyStart(tokens) else { return targets }
    for statement in statements(tokens, from: begin) {
      if let target = target(Array(tokens[statement])) { targets.insert(SQLName(target)) }
    }
    return targets
  }

  /// Returns the positions of the tokens of each statement, and of the END.
  private static func statements(
    _ tokens: [SQLScanner.Token], from begin: Int
  ) -> [Range<Int>] {
    tokens.indices[begin...].split { tokens[$0] == .symbol(UInt8(ascii: ";")) }
  }

  /// Returns the position after the BEGIN; a column or table may have that name too.
  private static func bodyStart(_ tokens: [SQLScanner.Token]) -> Int? {
    tokens.indices.first { index in
      index > 0 && index + 1 < tokens.count && tokens[index].isWord("BEGIN")
        && tokens[index - 1] != .symbol(UInt8(ascii: "."))
        && beginnings.contains(where: tokens[index + 1].isWord)
    }.map { $0 + 1 }
  }

  /// Returns what one statement writes; `nil` for a query.
  private static func target(_ statement: [SQLScanner.Token]) -> String? {
    var place = 1
    guard let verb = statement.first else { return nil }
    func skip(_ keyword: String) {
      if place < statement.count, statement[place].isWord(keyword) { place += 1 }
    }
    if verb.isWord("INSERT") || verb.isWord("UPDATE") {
      if place < statement.count, statement[place].isWord("OR") { place += 2 }
      skip("INTO")
    } else if verb.isWord("REPLACE") {
      skip("INTO")
    } else if verb.isWord("DELETE") {
      skip("FROM")
    } else {
      return nil
    }
    return place < statement.count ? statement[place].name : nil
  }
}

extension SQLScanner {
  /// The end of the first token.
  fileprivate var endOfFirstToken: Int {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let isComment = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/")
      if let end = endOfSkipped(from: index) {
        if !isComment { return endOfQuoted(from: index, firstEnd: end) }
        index = end
      } else if Self.isSpace(byte) {
        index += 1
      } else {
        return endOfWord(from: index)
      }
    }
    return index
  }
}
