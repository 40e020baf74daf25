import TributaryCore
import TributarySQLite
import TributaryStore

/// A column that may hold numbers of rows of a table, judging by its name and its values, although it has no
/// foreign key.
struct ReferenceSuggestion {
  var table: String
  var column: String
  var parent: String
  var key: String

  var note: AttachNote {
    AttachNote(
      .suggestion, table: table,
      "\(table).\(column) looks as if it referred to \(parent).\(key), and nothing says so: it does not follow a row "
        + "to whose number another device has given another row",
      options: [AttachOption("refers", "\(table).\(column)=\(parent).\(key)")])
  }

  /// Returns suggestions in the order of the tables and columns.
  ///
  /// - Complexity: reads the values of each column whose name suggests a reference.
  static func all(
    in schema: ReplicatedSchema, _ connection: Connection
  ) throws -> [ReferenceSuggestion] {
    var found: [ReferenceSuggestion] = []
    let parents = schema.tables.filter { $0.refusal == nil && isNumbered($0) }
    for table in schema.tables where table.refusal == nil {
      let taken = try foreignKeyColumns(of: table, connection)
        .union(table.merge.references.keys)
      for column in table.shape.columns where !taken.contains(SQLName(column)) {
        if table.hasRowIdentifierKey, column == table.shape.columns[table.shape.keys[0].column] {
          continue
        }
        for parent in parents {
          let key = key(of: parent)
          guard isName(column, of: parent, in: table) || isKey(column, key, among: parents) else {
            continue
          }
          guard try holdsNumbers(column, of: table, parent, key, connection) else { continue }
          found.append(
            ReferenceSuggestion(
              table: table.name, column: column, parent: parent.name,
              key: parent.hasHiddenKey ? "rowid" : key))
          break
        }
      }
    }
    return found
  }

  private static func isNumbered(_ table: TableDescription) -> Bool {
    table.numbersItsRows && !table.keepsEqualRowsApart
  }

  private static func key(of table: TableDescription) -> String {
    table.shape.columns[table.shape.keys[0].column]
  }

  /// Whether a column has the name of the key of one table and no other (`idFile` in `movie`, for
  /// `files.idFile`). Names that any table may give its key say nothing.
  private static func isKey(
    _ column: String, _ key: String, among parents: [TableDescription]
  ) -> Bool {
    let name = SQLName(column)
    return name == SQLName(key) && !["id", "_id", "rowid", "oid", "key"].contains(name.folded)
      && parents.count { SQLName(self.key(of: $0)) == name } == 1
  }

  private static func foreignKeyColumns(
    of table: TableDescription, _ connection: Connection
  ) throws -> Set<SQLName> {
    let statement = try connection.prepare(
      #"SELECT "from" FROM pragma_foreign_key_list(?, 'main')"#)
    try statement.bind([.string(table.name)])
    var columns: Set<SQLName> = []
    while try statement.step() { columns.insert(SQLName(statement.string(0))) }
    return columns
  }

  /// Whether a name suggests the table: `album`, `albumid`, `album_id` and `albums` for tables `album` and
  /// `albums`; `parent` and `parent_id` for the table itself.
  ///
  /// A prefix that most columns of the table have (`rev_page`) says nothing, and neither does one that both
  /// tables have (`place_id` in `moz_visits`, for `moz_places`).
  private static func isName(
    _ column: String, of parent: TableDescription, in table: TableDescription
  ) -> Bool {
    let (column, own) = (SQLName(column).folded, SQLName(table.name).folded)
    let name = SQLName(parent.name).folded
    var (columns, names) = ([column], [name])
    if let prefix = prefix(of: column) {
      let others = table.shape.columns.count { SQLName($0).hasPrefix(prefix) }
      if others > 1, others * 2 > table.shape.columns.count {
        columns.append(String(column.dropFirst(prefix.count)))
      }
    }
    if let prefix = prefix(of: name), own.hasPrefix(prefix) {
      names.append(String(name.dropFirst(prefix.count)))
    }
    return columns.contains { column in
      let stem = stem(of: column)
      if stem == "parent" { return name == own }
      return names.contains { isPlural($0, of: stem) }
    }
  }

  /// Returns the first word of a name, including the underscore after it; `nil` if there is nothing else.
  private static func prefix(of name: String) -> String? {
    guard let end = name.firstIndex(of: "_"), end > name.startIndex else { return nil }
    let prefix = name[...end]
    return prefix.count < name.count ? String(prefix) : nil
  }

  private static func stem(of column: String) -> String {
    for suffix in ["_id", "id"] where column.hasSuffix(suffix) && column != suffix {
      return String(column.dropLast(suffix.count))
    }
    return column
  }

  private static func isPlural(_ name: String, of stem: String) -> Bool {
    [stem, stem + "s", stem + "es"].contains(name)
      || stem.hasSuffix("y") && name == stem.dropLast() + "ies" || stem == name + "s"
  }

  /// Whether all values, except NULL and 0, which may stand for no row, are numbers of rows of that table.
  private static func holdsNumbers(
    _ column: String, of table: TableDescription, _ parent: TableDescription, _ key: String,
    _ connection: Connection
  ) throws -> Bool {
    let name = "c.\(column.quotedIdentifier)"
    let rows =
      "FROM main.\(table.name.quotedIdentifier) AS c WHERE \(name) IS NOT NULL AND \(name) IS NOT 0"
    return try connection.integer("SELECT 1 \(rows) LIMIT 1") != nil
      && connection.integer(
        """
        SELECT 1 \(rows) AND (typeof(\(name)) <> 'integer' OR NOT EXISTS (
          SELECT 1 FROM main.\(parent.name.quotedIdentifier) AS p
          WHERE p.\(key.quotedIdentifier) = \(name))) LIMIT 1
        """) == nil
  }
}
