import TributaryCore
import TributaryLog
import TributarySQLite

/// The constraints between rows of the replicated tables.
package final class ConstraintSet {
  package let schema: ReplicatedSchema
  /// The unique keys, by table.
  package let uniqueKeys: [[UniqueKey]]
  /// The enforced references, by child.
  package let references: [[Reference]]
  /// What the columns of each child refer to, enforced or not, with foreign keys first.
  let links: [[Link]]
  /// Whether a column of a visible row may refer to a held row, because some links are not enforced, or
  /// belong to a reference of several columns that is void because another column is NULL.
  package let hasLooseLinks: Bool
  /// For each parent, the children and the position among each child's references.
  let referring: [[(child: Int, reference: Int)]]
  /// For each table, the number of its group; tables with the same number depend on each other.
  let group: [Int]
  /// For each table, whether its rows may need themselves through what they refer to, or need rows of tables
  /// where that is so.
  let leadsToCircle: [Bool]
  /// The positions of the tables in the order of their names.
  let rank: [Int]
  /// Indexed by table and column.
  private let concerning: [[Bool]]
  let probe: KeyProbe
  let connection: Connection

  package init(_ connection: Connection, schema: ReplicatedSchema) throws {
    self.schema = schema
    self.connection = connection
    probe = KeyProbe(schema, extensions: connection.extensions)
    let declared = try DeclaredConstraints.of(schema, connection)
    let uniqueKeys = declared.uniqueKeys
    // Other devices do not know the rows of a table that is left out.
    let references = declared.references.map { list in
      schema.enforcesForeignKeys ? list.filter { $0.parent != nil } : []
    }
    links = declared.references.enumerated().map { child, list in
      list.flatMap(Link.all(of:)) + Link.declared(by: child, in: schema)
    }
    hasLooseLinks =
      !schema.enforcesForeignKeys
      || schema.tables.contains { !$0.merge.references.isEmpty }
      || references.joined().contains { reference in
        let child = schema.tables[reference.child]
        return reference.childColumns.count > 1
          && reference.childColumns.contains { !child.columns[child.storedColumns[$0]].isNotNull }
      }
    var referring: [[(child: Int, reference: Int)]] = schema.tables.map { _ in [] }
    var group = Array(schema.tables.indices)
    for reference in references.joined() {
      guard let parent = reference.parent else { continue }
      let (old, new) = (group[reference.child], group[parent])
      for table in group.indices where group[table] == old { group[table] = new }
    }
    for (child, list) in references.enumerated() {
      for (position, reference) in list.enumerated() {
        if let parent = reference.parent { referring[parent].append((child, position)) }
      }
    }
    self.uniqueKeys = uniqueKeys
    self.references = references
    self.referring = referring
    self.group = group
    leadsToCircle = Self.leadsToCircle(references)
    concerning = schema.tables.indices.map { table in
      let unique = uniqueKeys[table].reduce(into: Set()) { $0.formUnion($1.mentioned) }
      let parents = referring[table].map { references[$0.child][$0.reference].parentPositions }
      return schema.tables[table].shape.columns.indices.map { column in
        unique.contains(column) || parents.contains { $0?.contains(column) ?? true }
      }
    }
    let order = schema.tables.indices.sorted(byBytesOf: { schema.tables[$0].name })
    var rank = order
    for (place, table) in order.enumerated() { rank[table] = place }
    self.rank = rank
  }

  private static func leadsToCircle(_ references: [[Reference]]) -> [Bool] {
    let parents = references.map { Set($0.filter(\.mayBind).compactMap(\.parent)) }
    var reached = parents
    for _ in parents {
      for table in parents.indices {
        for parent in reached[table] { reached[table].formUnion(parents[parent]) }
      }
    }
    return reached.indices.map { table in
      reached[table].union([table]).contains { reached[$0].contains($0) }
    }
  }

  /// Whether the value of a column may make other rows visible, or keep them hidden.
  package func mayConcernOthers(table: Int, column: Int) -> Bool { concerning[table][column] }

  /// Returns, for each table, whether it depends on one of these tables or one of them on it.
  func connected(_ tables: [Bool]) -> [Bool] {
    let groups = Set(tables.indices.filter { tables[$0] }.map { group[$0] })
    return tables.indices.map { groups.contains(group[$0]) }
  }

  /// Returns the foreign keys of a table.
  package func references(of table: String) -> [Reference] {
    schema.tableNumber(named: table).map { references[$0] } ?? []
  }

  /// Returns, by column, what rows of a table show while the row to which they refer is not visible.
  package func shownWithoutParents(table: Int) -> [Int: Value] {
    var shown: [Int: Value] = [:]
    for reference in references[table] {
      guard case .show(let values) = reference.absence else { continue }
      for (column, value) in zip(reference.childColumns, values) { shown[column] = value }
    }
    return shown
  }

  /// Returns the unique keys that a row claims.
  func claims(of row: [Value], table: Int) throws -> Set<ClaimTable.Subject> {
    var subjects: Set<ClaimTable.Subject> = []
    for key in uniqueKeys[table] {
      guard let claim = try probe.claim(key, of: row, table: table) else { continue }
      subjects.insert(ClaimTable.Subject(name: key.name, bytes: claim.bytes))
    }
    return subjects
  }

  /// Returns what a row claims and refers to.
  func subjects(of row: [Value], table: Int) throws -> Set<ClaimTable.Subject> {
    var subjects = try claims(of: row, table: table)
    for (position, reference) in references[table].enumerated() {
      guard let values = reference.values(row) else { continue }
      subjects.insert(try reference.subject(position, values))
    }
    return subjects
  }

  /// Whether a referenced row is in its table.
  package func parentExists(_ reference: Reference, _ values: [Value]) throws -> Bool {
    let statement = try connection.cached(reference.parentExists)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step()
  }

  /// Whether SQLite considers a value of a parent's column equal to a reference.
  ///
  /// - Parameter column: the position among the columns of the reference.
  package func areEqual(
    _ parent: Value, _ child: Value, in reference: Reference, column: Int
  ) throws -> Bool {
    if parent == .null || child == .null { return false }
    let collation = [reference.parentCollations[column]]
    let wanted = reference.parentAffinities[column].compared(child)
    return try KeyProbe.bytes([parent], collation) == KeyProbe.bytes([wanted], collation)
  }

  /// Returns the visible rows that have a unique key of a row that is not in its table.
  package func rivals(of row: [Value], table: Int) throws -> [[Value]] {
    var rivals: [RowIdentity: [Value]] = [:]
    for key in uniqueKeys[table] {
      guard let claim = try probe.claim(key, of: row, table: table) else { continue }
      let query = try connection.cached(key.query(schema.tables[table]))
      defer { query.reset() }
      try query.bind(claim.values)
      while try query.step() {
        // A row without a key cannot be exchanged for another row.
        guard schema.tables[table].hasKey(query.values) else { continue }
        rivals[try schema.tables[table].identity(query.values, number: table)] = query.values
      }
    }
    rivals[try schema.tables[table].identity(row, number: table)] = nil
    return rivals.sorted { $0.key.key.lexicographicallyPrecedes($1.key.key) }.map(\.value)
  }

  /// Whether the constraints prevent a row that is out of its table from being in it now.
  package func isExcluded(_ row: [Value], table: Int) throws -> Bool {
    var shown = row
    for reference in references[table] {
      guard let values = reference.values(row), try !parentExists(reference, values) else {
        continue
      }
      switch reference.absence {
      case .hold: return true
      case .show(let replacement):
        if try !replacement.contains(.null) && !parentExists(reference, replacement) {
          return true
        }
        for (column, value) in zip(reference.childColumns, replacement) { shown[column] = value }
      }
    }
    for key in uniqueKeys[table] {
      guard let claim = try probe.claim(key, of: row, table: table) else { continue }
      let query = try connection.cached(key.query(schema.tables[table]))
      defer { query.reset() }
      try query.bind(claim.values)
      if try query.step() { return true }
    }
    do { return try probe.violation(of: shown, table: table) != nil } catch is SQLiteError {
      // Only the application's connections know the functions that a CHECK calls.
      return true
    }
  }
}
