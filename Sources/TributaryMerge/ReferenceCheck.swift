import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore

/// Finds, at the end of an import, the rows that have lost what they refer to.
final class ReferenceCheck {
  private let connection: Connection
  private let constraints: ConstraintSet
  private let all: [Reference]
  /// The place of each reference.
  private let places: [ReferencePlace]
  /// For each table, the references from it and to it, as positions in `all`.
  private let fromTable: [[Int]]
  private let toTable: [[Int]]
  /// For each table, whether there is any reference from it or to it.
  private let isConcerned: [Bool]
  /// For each reference, what must exist, and rows to check individually.
  private var wanted: [Set<[Value]>]
  private var written: [Set<[Value]>]
  /// For each reference to a primary key, the keys of parents that were removed.
  private var gone: [Set<[Value]>]
  /// For each reference, whether a parent was removed or may have changed the referenced values, so that
  /// these are no longer known.
  private var lostParents: [Bool]

  init(_ connection: Connection, _ constraints: ConstraintSet) {
    self.connection = connection
    self.constraints = constraints
    let all = Array(constraints.references.joined())
    self.all = all
    places = constraints.references.enumerated().flatMap { table, references in
      references.indices.map { ReferencePlace(table: table, position: $0) }
    }
    fromTable = constraints.schema.tables.indices.map { table in
      all.indices.filter { position in all[position].child == table }
    }
    toTable = constraints.schema.tables.indices.map { table in
      all.indices.filter { position in all[position].parent == table }
    }
    isConcerned = zip(fromTable, toTable).map { !$0.isEmpty || !$1.isEmpty }
    wanted = Array(repeating: [], count: all.count)
    written = wanted
    gone = wanted
    lostParents = Array(repeating: false, count: all.count)
  }

  /// Returns the columns of a table that refer to other tables.
  func childColumns(of table: Int) -> [Int] { fromTable[table].flatMap { all[$0].childColumns } }

  func note(
    _ effect: RowApplier.Effect, _ cells: UnsafeMutableBufferPointer<ValueView>, table: Int
  ) {
    guard isConcerned[table] else { return }
    if effect != .inserted {
      for number in toTable[table] {
        if !all[number].refersToPrimaryKey {
          lostParents[number] = true
        } else if effect == .deleted, let columns = all[number].parentPositions {
          gone[number].insert(columns.map { cells[$0].value ?? .null })
        }
      }
    }
    guard effect != .deleted else { return }
    for number in fromTable[table] {
      let columns = all[number].childColumns
      if columns.allSatisfy({ cells[$0].kind != .absent }) {
        let key = columns.map { cells[$0].value ?? .null }
        if !key.contains(.null) { wanted[number].insert(key) }
      } else if columns.contains(where: { cells[$0].kind != .absent }) || effect == .inserted {
        let keys = constraints.schema.tables[table].shape.keys
        written[number].insert(keys.map { cells[$0.column].value ?? .null })
      }
    }
  }

  /// Records a row of which all columns are known.
  func note(_ row: [Value], table: Int, wasShown: Bool) {
    for number in toTable[table] where wasShown && !all[number].refersToPrimaryKey {
      lostParents[number] = true
    }
    for number in fromTable[table] {
      let key = all[number].childColumns.map { row[$0] }
      if !key.contains(.null) { wanted[number].insert(key) }
    }
  }

  /// Returns the rows that refer to something that is not visible.
  ///
  /// - Complexity: O(changes). For references to anything but a primary key, O(rows of the table)
  ///   if a parent was deleted or updated; the same if no index helps to find the rows that refer
  ///   to a deleted one.
  func orphans() throws -> [(table: Int, row: [Value])] {
    var orphans: [(table: Int, row: [Value])] = []
    let search = ChildSearch(connection, constraints)
    for (number, reference) in all.enumerated() {
      let table = constraints.schema.tables[reference.child]
      func collect(_ sql: String, _ parameters: [Value]) throws {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        while try statement.step() { orphans.append((reference.child, statement.values)) }
      }
      if lostParents[number] {
        try collect(reference.orphans(table), [])
        continue
      }
      for key in gone[number] {
        for row in try search.rows(places[number], of: key) {
          guard let values = reference.values(row),
            try !constraints.parentExists(reference, values)
          else { continue }
          orphans.append((reference.child, row))
        }
      }
      for values in wanted[number] where try !constraints.parentExists(reference, values) {
        try collect(reference.children(table), values)
      }
      for key in written[number] {
        let condition = table.keyTerms.map { "c.\($0) = ?" }.joined(separator: " AND ")
        try collect(reference.orphans(table, where: condition), key)
      }
    }
    return orphans
  }

  func removeAll() {
    for number in all.indices {
      wanted[number].removeAll(keepingCapacity: true)
      written[number].removeAll(keepingCapacity: true)
      gone[number].removeAll(keepingCapacity: true)
      lostParents[number] = false
    }
  }
}
