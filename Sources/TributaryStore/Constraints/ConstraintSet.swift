import TributaryCore
import TributaryLog
import TributarySQLite

/// The constraints between rows of the replicated tables.
public final class ConstraintSet {
  public let schema: ReplicatedSchema
  /// By table.
  public let uniqueKeys: [[UniqueKey]]
  /// By child.
  public let references: [[Reference]]
  /// By parent: the child and the position among its references.
  let referring: [[(child: Int, reference: Int)]]
  /// By table: tables with one number depend on each other.
  let group: [Int]
  /// By table: whether its rows may need themselves, by way of what they refer to, or rows of
  /// tables where that is so.
  let leadsToCircle: [Bool]
  /// The positions of the tables in the order of their names.
  let rank: [Int]
  let probe: KeyProbe
  let connection: Connection

  public init(_ connection: Connection, schema: ReplicatedSchema) throws {
    self.schema = schema
    self.connection = connection
    probe = KeyProbe(schema)
    let declared = try DeclaredConstraints.of(schema, connection)
    let (uniqueKeys, references) = (declared.uniqueKeys, declared.references)
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

  /// The foreign keys of a table.
  public func references(of table: String) -> [Reference] {
    schema.tables.firstIndex { SQLName($0.name) == SQLName(table) }.map { references[$0] } ?? []
  }

  /// What a row claims and refers to.
  func subjects(of row: [Value], table: Int) throws -> Set<ClaimTable.Subject> {
    var subjects: Set<ClaimTable.Subject> = []
    for key in uniqueKeys[table] {
      guard let claim = try probe.claim(key, of: row, table: table) else { continue }
      subjects.insert(ClaimTable.Subject(name: key.name, bytes: claim.bytes))
    }
    for (position, reference) in references[table].enumerated() {
      guard let values = reference.values(row) else { continue }
      subjects.insert(try reference.subject(position, values))
    }
    return subjects
  }

  /// Whether a row that is referred to is in its table.
  public func parentExists(_ reference: Reference, _ values: [Value]) throws -> Bool {
    let statement = try connection.cached(reference.parentExists)
    defer { statement.reset() }
    try statement.bind(values)
    return try statement.step()
  }

  /// Whether a row that is out of its table cannot be in it as it is now.
  public func isExcluded(_ row: [Value], table: Int) throws -> Bool {
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
      }
    }
    for key in uniqueKeys[table] {
      guard let claim = try probe.claim(key, of: row, table: table) else { continue }
      let query = try connection.cached(key.query(schema.tables[table]))
      defer { query.reset() }
      try query.bind(claim.values)
      if try query.step() { return true }
    }
    return false
  }
}
