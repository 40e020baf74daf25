import TributaryCore
import TributaryLog
import TributarySQLite

/// Brings the tables to what `docs/merging.md` allows them to show, after rows were written that
/// may not fit.
///
/// Works within the open transaction, on a connection whose triggers and foreign keys are silent.
public final class Resolver {
  /// A row that was taken out of its table, or kept out.
  public struct Lifted {
    public var row: [Value]
    public var shown: [Value]?
    public var isWritten: Bool

    public init(row: [Value], shown: [Value]?, isWritten: Bool) {
      self.row = row
      self.shown = shown
      self.isWritten = isWritten
    }
  }

  /// Where rows come from that cannot be known here: the logs.
  public typealias Histories = (Set<RowIdentity>) throws -> [RowIdentity: RowHistory]

  let connection: Connection
  let constraints: ConstraintSet
  let histories: Histories?
  /// The transaction at hand, for a commit.
  let author: Conflict.Side?
  /// What it has written.
  let written: Set<RowIdentity>
  var schema: ReplicatedSchema { constraints.schema }

  var candidates: [Candidate] = []
  /// Visible rows that are to be lifted, by what finds them.
  private var wanted: [(table: Int, query: String, values: [Value])] = []
  var positions: [RowIdentity: Int] = [:]
  /// What is masked, by row.
  var masks: [RowIdentity: [Conflict.Cell]] = [:]
  /// Deletions of parents, found in the logs or made by the commit at hand.
  var deletions: [RowIdentity: Conflict.Side]
  /// One was asked for that only the logs know.
  var lacksDeletion = false
  var defaults: [Int: [Value]] = [:]
  /// Candidates by the values that others refer to.
  var parentIndex: [ParentKey: [[UInt8]: [Int]]] = [:]

  /// - Parameter histories: `nil` for a commit, which reads no logs.
  public init(
    _ connection: Connection, _ constraints: ConstraintSet, histories: Histories?,
    author: Conflict.Side? = nil, written: Set<RowIdentity> = [],
    deletions: [RowIdentity: Conflict.Side] = [:]
  ) {
    self.written = written
    self.deletions = deletions
    self.connection = connection
    self.constraints = constraints
    self.histories = histories
    self.author = author
  }

  /// Decides about the given rows, about those held and masked in tables that depend on the touched
  /// ones, and about all that these concern.
  ///
  /// - Parameter orphans: visible rows that have lost what they refer to.
  /// - Parameter touched: tables with changed rows.
  public func resolve(
    _ lifted: [RowIdentity: Lifted], orphans: [(table: Int, row: [Value])], touched: Set<Int>,
    milliseconds: UInt64
  ) throws -> ResolverOutcome {
    let all = touched.union(lifted.keys.map(\.table)).union(orphans.map(\.table))
    let groups = Set(all.map { constraints.group[$0] })
    let tables = Set(schema.tables.indices.filter { groups.contains(constraints.group[$0]) })
    try addHeld(of: tables, except: lifted)
    for (identity, row) in lifted {
      try add(identity, row.row, shown: row.shown, isWritten: row.isWritten)
    }
    for orphan in orphans {
      try lift(
        orphan.row, schema.tables[orphan.table].identity(orphan.row, number: orphan.table))
    }
    while true {
      try gather()
      try completeSides(of: rivals())
      let verdicts = try decide()
      if try addChildren(verdicts) { continue }
      return try carryOut(verdicts, milliseconds: milliseconds)
    }
  }

  // MARK: Gathering

  private func addHeld(of tables: Set<Int>, except lifted: [RowIdentity: Lifted]) throws {
    let held = HeldTable(connection, schema: schema)
    for entry in try held.entries(of: tables) {
      if !entry.isHeld { masks[entry.identity] = entry.cells }
      guard lifted[entry.identity] == nil else { continue }
      if entry.isHeld {
        try add(entry.identity, held.row(entry), shown: nil, isWritten: false)
      }
    }
    for identity in Array(masks.keys)
    where lifted[identity] == nil && positions[identity] == nil {
      let key = try schema.tables[identity.table].keyValues(identity.key)
      if let shown = try RowReader(schema.tables[identity.table]).row(key, in: connection) {
        try lift(shown, identity)
      } else {
        masks[identity] = nil
        try held.remove(identity)
      }
    }
  }

  /// Takes a visible row out of its table and adds it.
  func lift(_ shown: [Value], _ identity: RowIdentity) throws {
    guard positions[identity] == nil else { return }
    let table = schema.tables[identity.table]
    let statement = try connection.cached(
      "DELETE FROM main.\(table.name.quotedIdentifier) WHERE \(table.keyCondition)")
    try statement.bind(table.key(of: shown))
    try statement.run()
    var row = shown
    let hidden =
      try masks[identity]
      ?? HeldTable(connection, schema: schema).entries(of: [identity.table])
      .first { $0.identity == identity && !$0.isHeld }?.cells
    if let hidden {
      masks[identity] = hidden
      row = table.row(shown, with: hidden)
    }
    try add(identity, row, shown: shown, isWritten: written.contains(identity))
  }

  private func add(
    _ identity: RowIdentity, _ row: [Value], shown: [Value]?, isWritten: Bool
  ) throws {
    guard positions[identity] == nil else { return }
    let candidate = Candidate(
      identity: identity, key: try schema.tables[identity.table].keyValues(identity.key), row: row,
      shown: shown, isWritten: isWritten)
    positions[identity] = candidates.count
    candidates.append(candidate)
    let table = identity.table
    candidate.sides = try ClaimTable(connection, schema: schema).claims(of: identity)
    for (position, reference) in constraints.references[table].enumerated() {
      guard let values = reference.values(row) else { continue }
      candidate.referred.append((position, values, try reference.subject(position, values)))
      guard let parent = reference.parent, constraints.leadsToCircle[parent], reference.mayBind
      else { continue }
      let query = reference.parents(schema.tables[parent])
      wanted.append((parent, query, values))
      if case .show(let replacement) = reference.absence {
        wanted.append((parent, query, replacement))
      }
    }
    for (number, key) in constraints.uniqueKeys[table].enumerated() {
      guard let claim = try constraints.probe.claim(key, of: row, table: table) else { continue }
      candidate.claims.append((number, ClaimTable.Subject(name: key.name, bytes: claim.bytes)))
      wanted.append((table, key.query(schema.tables[table]), claim.values))
    }
  }

  /// Lifts the visible rows that decide about candidates: those that have the keys which they claim,
  /// and where rows can need each other in a circle, those that they refer to.
  private func gather() throws {
    while let (table, query, values) = wanted.popLast() {
      for row in try rows(query, values) {
        try lift(row, schema.tables[table].identity(row, number: table))
      }
    }
  }

  private func rows(_ query: String, _ values: [Value]) throws -> [[Value]] {
    let query = try connection.cached(query)
    defer { query.reset() }
    try query.bind(values)
    var found: [[Value]] = []
    while try query.step() { found.append(query.values) }
    return found
  }

  /// Adds the visible children of rows that will not be visible any more.
  private func addChildren(_ verdicts: [Resolution.Verdict]) throws -> Bool {
    let before = candidates.count
    for (position, verdict) in verdicts.enumerated() {
      guard let shown = candidates[position].shown else { continue }
      let row = candidates[position].row
      let table = candidates[position].identity.table
      for (child, number) in constraints.referring[table] {
        let reference = constraints.references[child][number]
        guard let columns = reference.parentPositions,
          verdict.isHeld || columns.contains(where: { shown[$0] != row[$0] })
        else { continue }
        let query = reference.children(schema.tables[child])
        for row in try rows(query, columns.map { shown[$0] }) {
          try lift(row, schema.tables[child].identity(row, number: child))
        }
      }
    }
    return candidates.count > before
  }
}

extension TableDescription {
  /// A row with some cells replaced, by name.
  public func row(_ row: [Value], with cells: [Conflict.Cell]) -> [Value] {
    var row = row
    for cell in cells {
      if let column = shape.columns.firstIndex(where: {
        SQLName($0) == SQLName(cell.column)
      }) {
        row[column] = cell.value
      }
    }
    return row
  }

  /// Values that are equal as a key to those whose canonical bytes are given.
  func keyValues(_ bytes: [UInt8]) throws(LogError) -> [Value] {
    var values: [Value] = []
    var failure: LogError?
    bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      do throws(LogError) {
        while !cursor.isAtEnd { values.append(try cursor.next().value ?? .null) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return values
  }
}
