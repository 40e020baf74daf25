import TributaryCore
import TributarySQLite

extension MergeOptions {
  /// Checks that all declarations of a store concern tables and columns that it has. A choice for a table
  /// without declarations may outlive the table.
  ///
  /// - Throws: `StoreError` with the code `damaged`; not for a store without tables, which gets them later.
  package static func checkPresence(in connection: Connection) throws {
    let statement = try connection.cached(
      #"""
      SELECT "table", "column" FROM tributary_merge AS m
      WHERE m."table" <> '' AND rule NOT IN ('rowid', 'themselves') AND rule NOT GLOB 'key [1-9]*' AND NOT EXISTS (
        SELECT 1 FROM sqlite_schema AS s
        WHERE s.type = 'table' AND s.name = m."table" COLLATE NOCASE
          AND (m."column" = '' OR m."column" COLLATE NOCASE IN (
            SELECT c.name FROM pragma_table_xinfo(s.name) AS c))
      ) AND EXISTS (
        SELECT 1 FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'tributary\_%' ESCAPE '\'
          AND name NOT LIKE 'sqlite\_%' ESCAPE '\')
      """#)
    defer { statement.reset() }
    while try statement.step() {
      let stopped = try StoppedTables(connection).names()
      if stopped.contains(where: { SQLName($0) == SQLName(statement.string(0)) }) { continue }
      throw StoreError.damaged(
        "the bookkeeping declares how \(statement.string(0)) \(statement.string(1)) merges, which does not exist",
        path: connection.path)
    }
  }
}
