import TributaryCore
import TributarySQLite

/// A shared table: what identifies its rows, and what they refer to.
package struct AttachedTable: Hashable, Sendable {
  package var name: String
  /// The number of rows; `nil` if they were not counted.
  package var rows: Int?
  /// What identifies the rows; `nil` means the PRIMARY KEY.
  package var knownBy: KnownBy?
  /// The columns of the key, in its order; empty if the key is the row identifier.
  package var key: [String]
  /// The foreign keys of the schema.
  package var references: [AttachedReference]

  package init(_ table: TableDescription, _ connection: Connection) throws {
    name = table.name
    knownBy = table.knownBy
    key =
      table.hasHiddenKey ? [] : table.shape.keys.map { table.shape.columns[$0.column] }
    references = []
    let statement = try connection.prepare(
      """
      SELECT seq, "from", "table", "to", \(Reference.bindsSomebody)
      FROM (SELECT *, "table" AS parent FROM pragma_foreign_key_list(?, 'main')) ORDER BY id, seq
      """)
    try statement.bind([.string(table.name)])
    while try statement.step() {
      if statement.integer(0) == 0 {
        references.append(
          AttachedReference(
            columns: [], table: statement.string(2), parentColumns: [],
            isBinding: statement.integer(4) != 0))
      }
      references[references.count - 1].columns.append(statement.string(1))
      if !statement.isNull(3) {
        references[references.count - 1].parentColumns.append(statement.string(3))
      }
    }
  }
}
