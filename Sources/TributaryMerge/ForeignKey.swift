import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// One FOREIGN KEY of a table.
struct ForeignKey {
  let child: TableDescription
  let parent: String
  /// Positions among the stored columns of the child.
  var childColumns: [Int] = []
  /// Names; parallel to `childColumns`.
  var parentColumns: [String] = []
  /// The parent's columns are its primary key, which no update changes.
  var refersToPrimaryKey = false

  var childKeys: [Int] { child.shape.keys.map(\.column) }

  static func read(of child: TableDescription, _ connection: Connection) throws -> [ForeignKey] {
    let statement = try connection.prepare(
      #"SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq"#)
    try statement.bind([.string(child.name)])
    var keys: [(id: Int64, key: ForeignKey, namesParent: Bool)] = []
    while try statement.step() {
      let id = statement.integer(0)
      if keys.last?.id != id {
        keys.append(
          (id, ForeignKey(child: child, parent: statement.string(1)), !statement.isNull(3)))
      }
      let from = statement.string(2)
      guard
        let column = child.shape.columns.firstIndex(where: { $0.lowercased() == from.lowercased() })
      else { continue }
      keys[keys.count - 1].key.childColumns.append(column)
      if !statement.isNull(3) { keys[keys.count - 1].key.parentColumns.append(statement.string(3)) }
    }
    return try keys.compactMap { _, key, namesParent in
      var key = key
      let primary = try primaryKey(of: key.parent, connection)
      if !namesParent { key.parentColumns = primary }
      key.refersToPrimaryKey = Set(key.parentColumns.map { $0.lowercased() })
        .isSubset(of: primary.map { $0.lowercased() })
      // A reference that SQLite itself calls a mismatch is not checked by anyone.
      return key.parentColumns.count == key.childColumns.count && !primary.isEmpty ? key : nil
    }
  }

  private static func primaryKey(of table: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk")
    try statement.bind([.string(table)])
    var names: [String] = []
    while try statement.step() { names.append(statement.string(0)) }
    return names
  }

  /// Finds the parent of a child's columns.
  var parentExists: String {
    let terms = parentColumns.map { "\($0.quotedIdentifier) = ?" }
    return "SELECT 1 FROM \(parent.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
  }

  /// Finds a child without a parent.
  var anyOrphan: String { "\(orphans) LIMIT 1" }

  /// Finds the child with that key if it has no parent.
  var rowIsOrphan: String {
    let terms = child.keyTerms.map { "c.\($0) = ?" }
    return "\(orphans) AND \(terms.joined(separator: " AND "))"
  }

  private var orphans: String {
    let columns = childColumns.map { "c.\(child.shape.columns[$0].quotedIdentifier)" }
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let equal = zip(parentColumns, columns).map { "p.\($0.quotedIdentifier) = \($1)" }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(child.name.quotedIdentifier) AS c WHERE \(present)
      AND NOT EXISTS (SELECT 1 FROM \(parent.quotedIdentifier) AS p WHERE \(equal.joined(separator: " AND ")))
      """
  }

  func violation(_ key: [Value]) -> MergeError {
    var json = JSONWriter()
    json.key(key)
    return MergeError(
      .constraint,
      "a row of table \(child.name) refers to \(json.text) in table \(parent), which is not there",
      remedy:
        "bring that row back or change the one that refers to it, on any device, then sync again")
  }
}
