import TributaryCore
import TributarySQLite

/// What values become in the columns of a table, as determined by SQLite itself.
package struct ColumnConversion {
  private let scratch: Connection
  private let insertion: Statement
  private let reading: Statement

  /// Prepares a conversion.
  ///
  /// - Parameter affinities: the affinities of the columns, in their order; at least one.
  package init(to affinities: [Affinity]) throws {
    scratch = try Connection(path: ":memory:", mode: .create)
    let columns = affinities.enumerated().map { "c\($0) \($1.declaredType)" }
    let names = affinities.indices.map { "c\($0)" }.joined(separator: ", ")
    let marks = affinities.map { _ in "?" }.joined(separator: ", ")
    try scratch.execute("CREATE TABLE t (\(columns.joined(separator: ", ")))")
    insertion = try scratch.prepare(
      "INSERT OR REPLACE INTO t (rowid, \(names)) VALUES (1, \(marks))")
    reading = try scratch.prepare("SELECT \(names) FROM t")
  }

  /// Returns a row as the columns store it.
  package func converted(_ row: [Value]) throws -> [Value] {
    insertion.reset()
    try insertion.bind(row)
    try insertion.run()
    reading.reset()
    defer { reading.reset() }
    return try reading.step() ? reading.values : row
  }
}
