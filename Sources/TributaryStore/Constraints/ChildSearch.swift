import TributaryCore
import TributarySQLite

/// Finds the visible rows that refer to given values, in any number of searches. If no index helps SQLite, it
/// reads the references of the whole table once.
package final class ChildSearch {
  private let connection: Connection
  private let constraints: ConstraintSet
  private var searches: [ReferencePlace: Int] = [:]
  /// The keys of the rows, by what they refer to.
  private var read: [ReferencePlace: [[UInt8]: [[Value]]]] = [:]

  /// From this number of searches on, reading everything is cheaper than another search.
  private static let limit = 8

  package init(_ connection: Connection, _ constraints: ConstraintSet) {
    self.connection = connection
    self.constraints = constraints
  }

  /// Returns the visible rows that refer to these values.
  ///
  /// - Precondition: since the first search, rows may have been removed from the tables, but none
  ///   added.
  package func rows(_ place: ReferencePlace, of values: [Value]) throws -> [[Value]] {
    let reference = constraints.references[place.table][place.position]
    let table = constraints.schema.tables[place.table]
    if let known = read[place] {
      let reader = RowReader(table)
      return try known[reference.bytes(values), default: []].compactMap {
        try reader.row($0, in: connection)
      }
    }
    let sql = reference.children(table)
    searches[place, default: 0] += 1
    if searches[place] == Self.limit, try isScan(sql, values) {
      read[place] = try all(reference, table)
      return try rows(place, of: values)
    }
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var found: [[Value]] = []
    while try statement.step() { found.append(statement.values) }
    return found
  }

  private func isScan(_ sql: String, _ values: [Value]) throws -> Bool {
    let plan = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    try plan.bind(values)
    return try plan.step() && plan.string(3).hasPrefix("SCAN")
  }

  private func all(
    _ reference: Reference, _ table: TableDescription
  ) throws -> [[UInt8]: [[Value]]] {
    let statement = try connection.prepare(table.selection)
    var found: [[UInt8]: [[Value]]] = [:]
    while try statement.step() {
      let row = statement.values
      guard let values = reference.values(row) else { continue }
      found[try reference.bytes(values), default: []]
        .append(table.key(of: row))
    }
    return found
  }
}
