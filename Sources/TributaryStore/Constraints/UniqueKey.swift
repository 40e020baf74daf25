import TributaryCore
import TributaryLog
import TributarySQLite

/// One UNIQUE constraint or unique index of a table, other than the one that identifies its rows.
package struct UniqueKey: Sendable {
  /// The name of the index.
  package var name: String
  /// What must be unique: SQL for each term, containing the table's columns.
  var terms: [String]
  var collations: [Collation]
  /// The positions among the stored columns, if all terms are columns and there is no condition.
  var columns: [Int]?
  /// The condition of the index, which contains only rows that meet it.
  var condition: String?
  /// The positions of the stored columns on which the key depends.
  var mentioned: Set<Int> = []

  /// Returns the query that finds the rows with given values for the terms.
  func query(_ table: TableDescription) -> String {
    let name = table.name.quotedIdentifier
    let columns = table.shape.columns.map { "\(name).\($0.quotedIdentifier)" }
    // The condition comes first: a term may fail for a row that is not in the index.
    let conditions =
      (condition.map { ["(\($0))"] } ?? [])
      + zip(terms, collations).map { "(\($0)) COLLATE \($1.sqlName) = ?" }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM main.\(name) WHERE \
      \(conditions.joined(separator: " AND "))
      """
  }

  /// Reads the unique keys of a table.
  ///
  /// - Parameter besidesKey: whether to leave out the UNIQUE key that identifies the rows.
  /// - Throws: for collations that only the application knows.
  static func keys(
    of table: TableDescription, besidesKey: Bool = true, _ connection: Connection
  ) throws -> [UniqueKey] {
    let list = try connection.prepare(
      """
      SELECT l.name, s.sql FROM pragma_index_list(?, 'main') AS l
      LEFT JOIN sqlite_schema AS s ON s.type = 'index' AND s.name = l.name
      WHERE l."unique" = 1 AND l.origin <> 'pk' ORDER BY l.name
      """)
    try list.bind([.string(table.name)])
    var keys: [UniqueKey] = []
    while try list.step() {
      if besidesKey, let index = table.keyIndex, SQLName(index) == SQLName(list.string(0)) {
        continue
      }
      let text = list.isNull(1) ? nil : IndexText(list.string(1))
      keys.append(try key(list.string(0), text, table, connection))
    }
    return keys
  }

  private static func key(
    _ name: String, _ text: IndexText?, _ table: TableDescription, _ connection: Connection
  ) throws -> UniqueKey {
    let statement = try connection.prepare(
      "SELECT cid, name, coll FROM pragma_index_xinfo(?, 'main') WHERE key = 1 ORDER BY seqno")
    try statement.bind([.string(name)])
    var key = UniqueKey(
      name: name, terms: [], collations: [], columns: [], condition: text?.condition)
    while try statement.step() {
      guard let collation = Collation(sqlName: statement.string(2)) else {
        throw StoreError(
          .unusableTable,
          "table \(table.name) has the collation \(statement.string(2)) in its unique key \(name)",
          path: connection.path,
          remedy: "use BINARY, NOCASE or RTRIM there, or leave the table out with --except")
      }
      key.collations.append(collation)
      if statement.isNull(1) {
        let terms = text?.terms ?? []
        key.terms.append(key.terms.count < terms.count ? terms[key.terms.count] : "NULL")
        key.columns = nil
      } else {
        let column = statement.string(1)
        key.terms.append("\(table.name.quotedIdentifier).\(column.quotedIdentifier)")
        if let position = table.shape.columns.firstIndex(where: { SQLName($0) == SQLName(column) })
        {
          key.columns?.append(position)
        } else {
          key.columns = nil
        }
      }
    }
    if key.condition != nil { key.columns = nil }
    key.mentioned = key.columns.map(Set.init) ?? mentions(key, table)
    return key
  }

  /// Returns the columns that the text names; a generated column may depend on any column.
  private static func mentions(_ key: UniqueKey, _ table: TableDescription) -> Set<Int> {
    var mentioned: Set<Int> = []
    let names = table.shape.columns.map { SQLName($0) }
    let generated = Set(table.columns.filter(\.isGenerated).map { SQLName($0.name) })
    for text in key.terms + [key.condition].compactMap(\.self) {
      for case let name? in SQLScanner(Array(text.utf8)).tokens.map({
        $0.name.map(SQLName.init(_:))
      }) {
        if generated.contains(name) { return Set(names.indices) }
        if let column = names.firstIndex(of: name) { mentioned.insert(column) }
      }
    }
    return mentioned
  }
}
