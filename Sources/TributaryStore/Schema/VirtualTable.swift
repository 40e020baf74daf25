import TributaryCore
import TributarySQLite

/// A virtual table of a database, whose rows are not replicated.
struct VirtualTable {
  var name: String
  /// The name of its module, in lower case.
  var module: String
  /// The tables in which it stores its contents.
  var shadows: [String]
  private var tokens: [SQLScanner.Token]

  /// Returns the virtual tables, in the order of creation.
  static func all(in connection: Connection) throws -> [VirtualTable] {
    let statement = try connection.prepare(
      """
      SELECT s.name, s.sql FROM pragma_table_list AS l JOIN main.sqlite_schema AS s ON s.name = l.name
      WHERE l.schema = 'main' AND l.type = 'virtual' ORDER BY s.rowid
      """)
    var tables: [VirtualTable] = []
    while try statement.step() {
      let tokens = SQLScanner(Array(statement.string(1).utf8)).tokens
      let using = tokens.firstIndex { $0.isWord("USING") }
      let module = using.flatMap { $0 + 1 < tokens.count ? tokens[$0 + 1].name : nil }
      tables.append(
        VirtualTable(
          name: statement.string(0), module: SQLName(module ?? "").folded, shadows: [],
          tokens: Array(tokens[(using ?? tokens.startIndex)...])))
    }
    let shadows = try connection.prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow' ORDER BY name")
    while try shadows.step() {
      let name = shadows.string(0)
      // If several names are a prefix, the longest one counts.
      let owner = tables.indices.filter { SQLName(name).hasPrefix(tables[$0].name + "_") }
        .max { tables[$0].name.utf8.count < tables[$1].name.utf8.count }
      if let owner { tables[owner].shadows.append(name) }
    }
    return tables
  }

  /// Whether it is a full-text index.
  var isFullText: Bool { ["fts3", "fts4", "fts5"].contains(module) }

  /// The table whose rows it indexes, if that is another table; empty if there is none.
  var content: String? { option("content") }

  /// Whether it stores more of a row than a query of its columns returns, or stores it differently.
  var encodesContents: Bool { option("compress") != nil || option("languageid") != nil }

  private func option(_ name: String) -> String? {
    guard let place = tokens.firstIndex(where: { $0.isWord(name) }), place + 2 < tokens.count,
      tokens[place + 1] == .symbol(UInt8(ascii: "="))
    else { return nil }
    return tokens[place + 2].name
  }
}
