import TributaryCore
import TributarySQLite

/// Whether a store follows the schemas of its peers, and what it has adopted from them.
package struct FollowedSchema {
  private let settings: Settings

  package init(_ connection: Connection) { settings = Settings(connection) }

  /// Whether the store adopts what the schemas of its peers add, when an import needs it.
  package var isFollowing: Bool { get throws { try settings.integer(.follows) == 1 } }

  /// Records whether the store follows.
  package func set(following: Bool) throws {
    guard try isFollowing != following else { return }
    try settings.set(.follows, following ? .integer(1) : nil)
  }

  /// Returns the statements that have been carried out, in order.
  package func statements() throws -> [String] { try settings.lines(.followed) }

  /// Records statements that have been carried out.
  func add(_ statements: [String]) throws {
    guard !statements.isEmpty else { return }
    try settings.set(.followed, lines: self.statements() + statements)
  }

  /// Whether a statement of a migration, in the same words, makes something that following has made before
  /// and that still exists.
  func hasMade(_ sql: String) throws -> Bool {
    let made = try statements()
    guard !made.isEmpty else { return false }
    // Anything made before a renaming is recorded with the former names.
    let names = try NameChanges(settings.connection)
    if let addition = ColumnAddition(sql) {
      let wanted = addition.column.withFirstNames(of: addition.table.text, names)
      let tables = names.names(of: addition.table)
      guard
        made.compactMap({ ColumnAddition($0) }).contains(where: {
          tables.contains($0.table)
            && $0.column.withFirstNames(of: $0.table.text, names) == wanted
        })
      else { return false }
      return try settings.connection.integer(
        "SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE name = ? COLLATE NOCASE",
        .string(addition.table.text), .string(addition.name.text)) != nil
    }
    guard let object = SchemaObject(sql: sql) else { return false }
    let wanted = NormalSQL(creation: sql).withFirstNames(of: object.table, names)
    return try made.contains {
      NormalSQL(creation: $0).withFirstNames(of: SchemaObject(sql: $0)?.table ?? "", names)
        == wanted
    }
      && settings.connection.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
        .string(object.type), .string(object.name)) != nil
  }
}

/// What a statement adds to a table.
private struct ColumnAddition {
  let table: SQLName
  let name: SQLName
  let column: NormalSQL

  /// Reads `ALTER TABLE … ADD [COLUMN] …`; `nil` for any other statement.
  init?(_ sql: String) {
    var tokens = SQLScanner(Array(sql.utf8)).tokens[...]
    func skip(_ words: String...) -> Bool {
      guard tokens.count >= words.count, zip(tokens, words).allSatisfy({ $0.isWord($1) }) else {
        return false
      }
      tokens = tokens.dropFirst(words.count)
      return true
    }
    guard skip("ALTER", "TABLE") else { return nil }
    if skip("main") || tokens.first == .quoted("main") {
      tokens = tokens.drop { $0 == .quoted("main") }
      guard tokens.first == .symbol(UInt8(ascii: ".")) else { return nil }
      tokens = tokens.dropFirst()
    }
    guard let name = tokens.popFirst()?.name, skip("ADD") else { return nil }
    _ = skip("COLUMN")
    while tokens.last == .symbol(UInt8(ascii: ";")) { tokens.removeLast() }
    guard let added = tokens.first?.name else { return nil }
    table = SQLName(name)
    self.name = SQLName(added)
    column = NormalSQL(tokens)
  }
}

extension LocalStore {
  /// Records whether the store adopts what the schemas of its peers add.
  package func follow(_ isFollowing: Bool) throws {
    try service { try FollowedSchema($0).set(following: isFollowing) }
  }
}
