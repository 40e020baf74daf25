internal import CResources
import TributarySQLite

/// The tables in which a store keeps its bookkeeping.
package enum BookkeepingSchema {
  /// Makes the tables, empty.
  package static func make(in connection: Connection) throws {
    try connection.execute(String(cString: tributary_store_sql))
  }

  /// Makes the tables that a store lacks, empty, with their indexes.
  package static func makeMissing(in connection: Connection) throws {
    let present = Set(try columns(connection).keys)
    let wanted = try Connection(path: ":memory:", mode: .create)
    try make(in: wanted)
    let statement = try wanted.prepare(
      """
      SELECT tbl_name, sql FROM sqlite_schema
      WHERE tbl_name LIKE 'tributary\\_%' ESCAPE '\\' AND sql IS NOT NULL ORDER BY rowid
      """)
    while try statement.step() {
      if present.contains(statement.string(0)) { continue }
      try connection.execute(statement.string(1))
    }
  }

  /// Returns what a database lacks of the bookkeeping tables, as phrases.
  package static func discrepancies(in connection: Connection) throws -> [String] {
    let wanted = try Connection(path: ":memory:", mode: .create)
    try make(in: wanted)
    let present = try columns(connection)
    var discrepancies: [String] = []
    for (table, names) in try columns(wanted).sorted(by: { $0.key < $1.key }) {
      guard let found = present[table] else {
        discrepancies.append("the bookkeeping has no table \(table)")
        continue
      }
      for name in names.subtracting(found).sorted() {
        discrepancies.append("table \(table) of the bookkeeping has no column \(name)")
      }
    }
    return discrepancies
  }

  private static func columns(_ connection: Connection) throws -> [String: Set<String>] {
    let statement = try connection.prepare(
      """
      SELECT s.name, c.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c
      WHERE s.type = 'table' AND s.name LIKE 'tributary\\_%' ESCAPE '\\'
      """)
    var columns: [String: Set<String>] = [:]
    while try statement.step() {
      columns[statement.string(0), default: []].insert(statement.string(1))
    }
    return columns
  }
}
