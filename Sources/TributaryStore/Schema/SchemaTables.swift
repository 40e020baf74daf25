import TributarySQLite

/// What a database has of its own.
package enum SchemaTables {
  /// Whether there is no table, index, view or trigger beside SQLite's and ours.
  package static func areNone(in connection: Connection) throws -> Bool {
    try connection.integer(
      """
      SELECT count(*) FROM sqlite_schema
      WHERE name NOT LIKE 'tributary\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """) == 0
  }
}
