import TributaryCore
import TributarySQLite

/// Finds rows that other programs have left without what they refer to: SQLite enforces foreign keys only
/// on connections that ask for it.
struct ForeignOrphans {
  let connection: Connection
  let constraints: ConstraintSet
  /// By table and key.
  private var found: [RowIdentity: (table: Int, row: [Value])] = [:]
  /// How many parents of each reference were looked for, by child and position.
  private var searches: [[Int]]

  /// With more parents gone, all children are looked at once.
  private static let mostSearches = 64

  init(_ connection: Connection, _ constraints: ConstraintSet) {
    self.connection = connection
    self.constraints = constraints
    searches = constraints.references.map { $0.map { _ in 0 } }
  }

  /// A row is as given now.
  mutating func note(_ row: [Value], table: Int) throws {
    for reference in constraints.references[table] {
      if let values = reference.values(row), try !constraints.parentExists(reference, values) {
        try add(table, row)
        return
      }
    }
  }

  /// What a row was, as far as that is known, is gone.
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

  /// Rows that refer to something that is not there.
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
    let identity = try constraints.schema.tables[table].identity(row, number: table)
    found[identity] = (table, row)
  }
}
