import TributarySQLite

/// The contents of a schema besides SQLite's and the bookkeeping's.
package enum SchemaTables {
  /// Whether there are no tables, indexes, views or triggers besides SQLite's and the
  /// bookkeeping's.
  package static func areNone(in connection: Connection) throws -> Bool {
    try connection.integer(
      """
      SELECT count(*) FROM sqlite_schema
      WHERE name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """) == 0
  }
}
