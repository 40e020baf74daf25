import TributaryCore
import TributarySQLite

/// The contents of a full-text table that programs fill, shared through an ordinary table.
///
/// Beside a full-text table `words`, there is a table `words_shared` with its rows. Triggers on the table in
/// which the module stores the texts copy what programs write to the full-text table. On imports, temporary
/// triggers write to the full-text table (`ImportTriggers`). These cannot be part of the schema: SQLite does
/// not compile anything that writes to a virtual table within what a module itself writes.
package struct SharedContents {
  /// The full-text table.
  let name: String
  /// The table's columns.
  private let columns: [String]
  /// The columns in which the module stores the texts, the key first.
  private let stored: [String]

  /// The name of the table that is replicated.
  var table: String { Self.table(of: name) }

  static func table(of name: String) -> String { name + "_shared" }

  /// Returns the full-text tables that are shared, in order of creation.
  static func all(in connection: Connection) throws -> [SharedContents] {
    try VirtualTable.all(in: connection).filter(\.isFullText).compactMap { table in
      let trigger = try connection.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE type = 'trigger' AND name = ? AND tbl_name = ?",
        .string(Self.table(of: table.name) + "_insert"), .string(table.name + "_content"))
      return try trigger == nil ? nil : SharedContents(table, in: connection)
    }
  }

  /// Describes a full-text table.
  ///
  /// - Returns: `nil` if the module does not store the texts as they are.
  init?(_ table: VirtualTable, in connection: Connection) throws {
    name = table.name
    columns = try Self.columns(of: table.name, in: connection)
    stored = try Self.columns(of: table.name + "_content", in: connection)
    let keepsTexts = table.shadows.contains { SQLName($0) == SQLName(table.name + "_content") }
    guard table.isFullText, keepsTexts, columns.count < stored.count, !table.encodesContents else {
      return nil
    }
  }

  private static func columns(of table: String, in connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid")
    try statement.bind([.string(table)])
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  // MARK: Statements

  /// The name of the column of the shared table that has the number of a row.
  private var key: String {
    var key = "id"
    while columns.contains(where: { SQLName($0) == SQLName(key) }) { key += "_" }
    return key.quotedIdentifier
  }

  private var quoted: [String] { columns.map(\.quotedIdentifier) }

  /// The statements that make the table and its triggers, in a database whose full-text table
  /// already has rows.
  var statements: [String] {
    let table = self.table.quotedIdentifier
    let list = quoted.joined(separator: ", ")
    return [
      "CREATE TABLE \(table) (\(key) INTEGER PRIMARY KEY, \(list))",
      "INSERT INTO \(table) SELECT rowid, \(list) FROM \(name.quotedIdentifier)",
      trigger("insert", "AFTER INSERT", on: name + "_content", keep),
      trigger("update", "AFTER UPDATE", on: name + "_content", "\(forget) \(keep)"),
      trigger("delete", "AFTER DELETE", on: name + "_content", forget),
    ]
  }

  /// The triggers on the shared table that write to the full-text table when an import writes to the shared
  /// one.
  var importTriggers: [TriggerDescription] {
    [("insert", write), ("update", "\(remove) \(write)"), ("delete", remove)].map { event, body in
      let suffix = "import_" + event
      return TriggerDescription(
        name: "\(table)_\(suffix)", table: table,
        sql: trigger(suffix, "AFTER \(event.uppercased())", on: table, body))
    }
  }

  private func trigger(_ suffix: String, _ event: String, on table: String, _ body: String)
    -> String
  {
    "CREATE TRIGGER \("\(self.table)_\(suffix)".quotedIdentifier) \(event) ON \(table.quotedIdentifier) "
      + "BEGIN \(body) END"
  }

  /// Writes the row as its program has written it. The program's conflict clause would apply here too, so the
  /// statement looks for the row first.
  private var keep: String {
    let table = self.table.quotedIdentifier
    let texts = stored.dropFirst().prefix(columns.count).map { "new.\($0.quotedIdentifier)" }
    let row = "new.\((stored.first ?? "").quotedIdentifier)"
    let pairs = zip(quoted, texts)
    return """
      UPDATE \(table) SET \(pairs.map { "\($0) = \($1)" }.joined(separator: ", ")) \
      WHERE \(key) = \(row) AND (\(pairs.map { "\($0) IS NOT \($1)" }.joined(separator: " OR "))); \
      INSERT INTO \(table) SELECT \(row), \(texts.joined(separator: ", ")) \
      WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE \(key) = \(row));
      """
  }

  private var forget: String {
    "DELETE FROM \(table.quotedIdentifier) WHERE \(key) = old.\((stored.first ?? "").quotedIdentifier);"
  }

  private var write: String {
    let values = quoted.map { "new.\($0)" }.joined(separator: ", ")
    return """
      DELETE FROM \(name.quotedIdentifier) WHERE rowid = new.\(key); \
      INSERT INTO \(name.quotedIdentifier) (rowid, \(quoted.joined(separator: ", "))) \
      VALUES (new.\(key), \(values));
      """
  }

  private var remove: String {
    "DELETE FROM \(name.quotedIdentifier) WHERE rowid = old.\(key);"
  }
}
