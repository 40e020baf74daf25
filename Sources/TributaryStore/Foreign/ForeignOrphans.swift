import TributaryCore
import TributarySQLite

/// Finds rows whose parents other programs have removed: SQLite enforces foreign keys only on connections
/// that request it.
struct ForeignOrphans {
  let connection: Connection
  let constraints: ConstraintSet
  /// The rows found, by table and key.
  private var found: [RowIdentity: (table: Int, row: [Value])] = [:]
  /// The number of searches for the children of each reference, by child and position.
  private var searches: [[Int]]

  /// If more parents than this have been removed, all children are checked at once.
  private static let mostSearches = 64

  init(_ connection: Connection, _ constraints: ConstraintSet) {
    self.connection = connection
    self.constraints = constraints
    searches = constraints.references.map { $0.map { _ in 0 } }
  }

  /// Adds the current state of a row.
  mutating func note(_ row: [Value], table: Int) throws {
    for reference in constraints.references[table] {
      if let values = reference.values(row), try !constraints.parentExists(reference, values) {
        try add(table, row)
        return
      }
    }
  }

  /// Adds the former values of a row, as far as they are known, as removed.
  mutating func noteGone(_ old: [Value?], table: Int) throws {
    for (child, position) in constraints.referring[table] {
      let reference = constraints.references[child][position]
      let values = reference.parentPositions?.compactMap { old[$0] } ?? []
      guard values.count == reference.parentPositions?.count else {
        searches[child][position] = .max
        continue
      }
      if searches[child][position] > Self.mostSearches || values.contains(.null) { continue }
      searches[child][position] += 1
      if try constraints.parentExists(reference, values) { continue }
      try search(reference.children(constraints.schema.tables[child]), values, child)
    }
  }

  /// Treats all parents that do not exist as removed.
  mutating func noteAllGone() {
    searches = searches.map { $0.map { _ in .max } }
  }

  /// Returns the rows whose parents do not exist.
  mutating func finish() throws -> [(table: Int, row: [Value])] {
    for (child, list) in searches.enumerated() {
      for (position, count) in list.enumerated() where count > Self.mostSearches {
        let reference = constraints.references[child][position]
        try search(reference.orphans(constraints.schema.tables[child]), [], child)
      }
    }
    return found.sorted { ($0.key.table, $0.key.key.count) < ($1.key.table, $1.key.key.count) }
      .map(\.value)
  }

  private mutating func search(_ sql: String, _ values: [Value], _ table: Int) throws {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    try statement.bind(values)
    while try statement.step() { try add(table, statement.values) }
  }

  private mutating func add(_ table: Int, _ row: [Value]) throws {
    // A child without a key is not replicated, and stays as the other program has left it.
    guard constraints.schema.tables[table].hasKey(row) else { return }
    let identity = try constraints.schema.tables[table].identity(row, number: table)
    found[identity] = (table, row)
  }
}
