import TributaryCore
import TributarySQLite
import TributaryStore

/// A column that may hold numbers of rows of a table, as its name and its values suggest, although no foreign
/// key says so.
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
  /// - Complexity: a look at the values of each column whose name suggests it.
  static func all(
    in schema: ReplicatedSchema, _ connection: Connection
  ) throws -> [ReferenceSuggestion] {
    var found: [ReferenceSuggestion] = []
    for table in schema.tables where table.refusal == nil {
      let taken = try foreignKeyColumns(of: table, connection)
        .union(table.merge.references.keys)
      for column in table.shape.columns where !taken.contains(SQLName(column)) {
        if table.hasRowIdentifierKey, column == table.shape.columns[table.shape.keys[0].column] {
          continue
        }
        for parent in schema.tables where parent.refusal == nil && isNumbered(parent) {
          guard isName(column, of: parent, in: table) else { continue }
          let key = parent.shape.columns[parent.shape.keys[0].column]
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
  private static func isName(
    _ column: String, of parent: TableDescription, in table: TableDescription
  ) -> Bool {
    var stem = SQLName(column).folded
    for suffix in ["_id", "id"] where stem.hasSuffix(suffix) && stem != suffix {
      stem.removeLast(suffix.count)
      break
    }
    if stem == "parent" { return SQLName(parent.name) == SQLName(table.name) }
    let name = SQLName(parent.name).folded
    return [stem, stem + "s", stem + "es"].contains(name)
      || stem.hasSuffix("y") && name == stem.dropLast() + "ies" || stem == name + "s"
  }

  /// Whether all values but NULL and 0, which may stand for none, are numbers of rows of that table.
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
