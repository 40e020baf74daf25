/// A table that is not replicated, and that triggers maintain as a copy of another one. An import
/// must change both in the same way.
package struct TableCopy: Sendable {
  let table: String
  let columns: [String]

  package var name: String { "\(table)_copy" }
  /// A table with everything that the column ever contained, once each.
  package var seenName: String { "\(table)_seen" }

  private func list(_ row: String) -> String {
    columns.map { row.isEmpty ? $0 : "\(row).\($0)" }.joined(separator: ", ")
  }

  var createStatements: [String] {
    let insert = "INSERT INTO \(name) VALUES (\(list("NEW")))"
    // The statement that fires it must not impose its own conflict clause.
    let see = "INSERT OR REPLACE INTO \(seenName) VALUES (NEW.\(columns[columns.count - 1]))"
    let condition = columns.map { "\($0) IS OLD.\($0)" }.joined(separator: " AND ")
    let delete = "DELETE FROM \(name) WHERE \(condition)"
    return [
      "CREATE TABLE \(name) (\(list("")))", "CREATE TABLE \(seenName) (x PRIMARY KEY)",
      "CREATE TRIGGER \(table)_i AFTER INSERT ON \(table) BEGIN \(insert); \(see); END",
      "CREATE TRIGGER \(table)_d AFTER DELETE ON \(table) BEGIN \(delete); END",
      "CREATE TRIGGER \(table)_u AFTER UPDATE ON \(table) BEGIN \(delete); \(insert); \(see); END",
    ]
  }

  /// A query for the rows of one of the two that the other lacks.
  package var differences: String {
    """
    SELECT * FROM (SELECT \(list("")) FROM \(table) EXCEPT SELECT * FROM \(name))
    UNION ALL SELECT * FROM (SELECT * FROM \(name) EXCEPT SELECT \(list("")) FROM \(table))
    UNION ALL SELECT \(columns.map { _ in "'twice'" }.joined(separator: ", "))
      WHERE (SELECT count(*) FROM \(name)) <> (SELECT count(*) FROM \(table))
    """
  }
}
