internal import TributaryCore
internal import TributarySQLite

/// Names of tables and columns that SQLite accepts in quotes. Some of them differ only in their
/// bytes.
struct FormNames {
  private static let awkward = [
    "t", "a b", "a.b", "say \"hi\"", "it's", "[x]", "`tick`", "select", "ORDER", "table", "Ä", "ä",
    "\u{E9}",
    "e\u{301}", "🦆", "1st", "", " ", "tab\tle", "new\nline", "%s", "?", ":p", "--", "/*", ";", "\\",
    "main", "temp.t",
    "null", "new", "old", "excluded", "_", "long" + String(repeating: "x", count: 300), "数", "ß",
    "SS",
  ]
  /// Names that mean something else for some tables.
  private static let columnOnly = [
    "rowid", "_rowid_", "oid", "key", "value", "k", "sequence", "op", "action", "true",
    "current_time", "generated",
  ]

  private var left: [String]
  private var count = 0

  /// Makes names that differ, in random order.
  init(ofColumns: Bool, using random: inout some RandomNumberGenerator) {
    left = (Self.awkward + (ofColumns ? Self.columnOnly : [])).shuffled(using: &random)
  }

  /// Returns a name that was not returned before.
  ///
  /// - Parameter plain: whether it needs no quotes.
  mutating func next(plain: Bool) -> String {
    count += 1
    return plain || left.isEmpty ? "n\(count)" : left.removeLast()
  }
}
