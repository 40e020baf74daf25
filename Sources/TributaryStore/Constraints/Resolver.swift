import TributaryCore
import TributaryLog
import TributarySQLite

/// Brings the tables into the state that `docs/merging-constraints.md` allows them to show, after rows were
/// written that may violate constraints.
///
/// It works within the open transaction, on a connection whose triggers and foreign keys are off.
package final class Resolver {
  /// A row that was taken out of its table, or kept out.
  package struct Lifted {
    package var row: [Value]
    package var shown: [Value]?
    package var isWritten: Bool

    package init(row: [Value], shown: [Value]?, isWritten: Bool) {
      self.row = row
      self.shown = shown
      self.isWritten = isWritten
    }
  }

  /// Returns the histories of rows that are not known here, from the logs.
  package typealias Histories = (Set<RowIdentity>) throws -> [RowIdentity: RowHistory]

  let connection: Connection
  let constraints: ConstraintSet
  let histories: Histories?
  /// The current transaction, for a commit.
  let author: Conflict.Side?
  /// The rows that this transaction has written.
  let written: Set<RowIdentity>
  /// Those of the written rows that may long have had what is not recorded about them.
  let undated: Set<RowIdentity>
  var schema: ReplicatedSchema { constraints.schema }

  var candidates: [Candidate] = []
  /// The visible rows that must be taken out, as queries that find them, and the candidate whose unique key
  /// they have.
  private var wanted: [(table: Int, query: String, values: [Value], claimant: Int?)] = []
  var positions: [RowIdentity: Int] = [:]
  /// The masked cells, by row.
  var masks: [RowIdentity: [Conflict.Cell]] = [:]
  /// Deletions of parents, found in the logs or made by the current commit.
  var deletions: [RowIdentity: Conflict.Side]
  /// Whether a deletion was needed that only the logs know.
  var lacksDeletion = false
  var defaults: [Int: [Value]] = [:]
  /// The rows to add if they are held.
  private var pending: [RowIdentity] = []
  /// The keys for which the held rows are already candidates.
  private var asked: Set<RowKey> = []
  /// The unique keys of candidates, which other held rows may share.
  private var claimed: [RowKey] = []
  private let children: ChildSearch
  /// For each table, whether any row is held or shows other values than those it refers to.
  private var hasEntries: [Int: Bool] = [:]
  /// The candidates whose children have been added as candidates too, as far as they are concerned.
  private var expanded: Set<Int> = []
  /// Whether all held rows that may depend on candidates are candidates.
  private var isWhole = false
  private var knownHorizon: Knowledge?
  private var held: HeldTable { HeldTable(connection, schema: schema) }
  var claimTable: ClaimTable { ClaimTable(connection, schema: schema) }
  private var asides: [Int: RowsAside?] = [:]
  /// The candidates by the values that others refer to.
  var parentIndex: [ParentKey: [[UInt8]: [Int]]] = [:]

  /// Makes a resolver.
  ///
  /// - Parameter histories: `nil` for a commit, which reads no logs.
  package init(
    _ connection: Connection, _ constraints: ConstraintSet, histories: Histories?,
    author: Conflict.Side? = nil, written: Set<RowIdentity> = [],
    undated: Set<RowIdentity> = [], deletions: [RowIdentity: Conflict.Side] = [:]
  ) {
    self.written = written
    self.undated = undated
    self.deletions = deletions
    self.connection = connection
    self.constraints = constraints
    self.histories = histories
    self.author = author
    children = ChildSearch(connection, constraints)
  }

  /// Decides about the given rows, and about the held and masked ones that depend on what has changed.
  ///
  /// - Parameter orphans: visible rows that have lost what they refer to.
  /// - Parameter concerns: what has changed; `nil` means a decision about all rows that are not visible as
  ///   they are.
  /// - Complexity: near O(rows that are decided about).
  package func resolve(
    _ lifted: [RowIdentity: Lifted], orphans: [(table: Int, row: [Value])], concerns: Concerns?,
    milliseconds: UInt64
  ) throws -> ResolverOutcome {
    for (identity, row) in lifted {
      try add(identity, row.row, shown: row.shown, isWritten: row.isWritten)
    }
    for orphan in orphans where schema.tables[orphan.table].hasKey(orphan.row) {
      try lift(
        orphan.row, schema.tables[orphan.table].identity(orphan.row, number: orphan.table))
    }
    if let concerns {
      try add(concerns)
    } else {
      isWhole = true
      try addAll(of: Set(schema.tables.indices))
    }
    while true {
      try gather()
      try completeSides(of: rivals())
      let (verdicts, hasCircles) = try decide()
      // The outcome of a circle may depend on any row that depends on the circle.
      if hasCircles, !isWhole {
        isWhole = true
        let before = candidates.count
        let groups = Set(candidates.map { constraints.group[$0.identity.table] })
        try addAll(
          of: Set(schema.tables.indices.filter { groups.contains(constraints.group[$0]) }))
        if candidates.count > before { continue }
      }
      if try addChildren(verdicts) { continue }
      if let outcome = try carryOut(verdicts, milliseconds: milliseconds) { return outcome }
    }
  }

  /// Returns what the store has forgotten: conflicts name no transactions from there.
  func horizon() throws -> Knowledge {
    if let knownHorizon { return knownHorizon }
    let horizon = try HorizonRecord(connection).settled?.horizon ?? Knowledge()
    knownHorizon = horizon
    return horizon
  }

  // MARK: Gathering

  private func addAll(of tables: Set<Int>) throws {
    for entry in try held.entries(of: tables) { try add(entry) }
  }

  private func add(_ concerns: Concerns) throws {
    var concerns = concerns
    for change in concerns.changed {
      let table = schema.tables[change.table]
      // A row that has already been taken out is in no table.
      let position = positions[try table.identity(key: change.key, number: change.table)]
      let row =
        try position.map { candidates[$0].row }
        ?? RowReader(table).row(change.key, in: connection)
      try concerns.addChange(
        table: change.table, key: change.key, isNew: change.isNew, row: row, constraints)
    }
    for row in try concerns.rows.union(rowsWrittenDown(concerns)) { try addWrittenDown(row) }
  }

  private func mayHaveEntries(_ table: Int) throws -> Bool {
    if let known = hasEntries[table] { return known }
    let found = try HeldTable.isThere(of: schema.tables[table].name, connection)
    hasEntries[table] = found
    return found
  }

  /// Adds a row that has records, so that no more records are kept than necessary.
  private func addWrittenDown(_ identity: RowIdentity) throws {
    guard positions[identity] == nil else { return }
    if let entry = try held.entry(identity) { return try add(entry) }
    let table = schema.tables[identity.table]
    if let shown = try RowReader(table).row(table.keyValues(identity.key), in: connection) {
      try lift(shown, identity)
    }
  }

  private func addIfHeld(_ identity: RowIdentity) throws {
    guard positions[identity] == nil, let entry = try held.entry(identity), entry.isHeld else {
      return
    }
    try add(entry)
  }

  private func add(_ entry: HeldTable.Entry) throws {
    let identity = entry.identity
    guard positions[identity] == nil else { return }
    if entry.isHeld {
      return try add(identity, held.row(entry), shown: nil, isWritten: false)
    }
    let key = try schema.tables[identity.table].keyValues(identity.key)
    if let shown = try RowReader(schema.tables[identity.table]).row(key, in: connection) {
      masks[identity] = entry.cells
      try lift(shown, identity)
    } else {
      try held.remove(identity)
    }
  }

  /// Takes a visible row out of its table and adds it.
  func lift(_ shown: [Value], _ identity: RowIdentity) throws {
    guard positions[identity] == nil else { return }
    let table = schema.tables[identity.table]
    if let rows = try rowsAside(identity.table) {
      try rows.takeOut(table.key(of: shown))
    } else {
      let statement = try connection.cached(
        "DELETE FROM main.\(table.name.quotedIdentifier) WHERE \(table.keyCondition)")
      try statement.bind(table.key(of: shown))
      try statement.run()
    }
    var row = shown
    if let hidden = try hiddenCells(identity) { row = table.row(shown, with: hidden) }
    try add(identity, row, shown: shown, isWritten: written.contains(identity))
  }

  /// Returns the place where rows of a table wait while they are out of it; `nil` if they need no such place.
  func rowsAside(_ table: Int) throws -> RowsAside? {
    if let known = asides[table] { return known }
    let rows = try RowsAside.make(schema.tables[table], connection)
    asides.updateValue(rows, forKey: table)
    return rows
  }

  private func add(
    _ identity: RowIdentity, _ row: [Value], shown: [Value]?, isWritten: Bool
  ) throws {
    guard positions[identity] == nil else { return }
    _ = try hiddenCells(identity)
    let candidate = Candidate(
      identity: identity, key: try schema.tables[identity.table].keyValues(identity.key), row: row,
      shown: shown, isWritten: isWritten)
    positions[identity] = candidates.count
    candidates.append(candidate)
    let table = identity.table
    candidate.sides = try claimTable.claims(of: identity)
    for (position, reference) in constraints.references[table].enumerated() {
      guard let values = reference.values(row) else { continue }
      candidate.referred.append(
        (position, values, try reference.subject(position, values)))
      try addHeldParents(reference, values)
      guard let parent = reference.parent, reference.mayBind else { continue }
      if case .show(let replacement) = reference.absence {
        try addHeldParents(reference, replacement)
      }
      guard constraints.leadsToCircle[parent] else { continue }
      let query = reference.parents(schema.tables[parent])
      wanted.append((parent, query, values, nil))
      if case .show(let replacement) = reference.absence {
        wanted.append((parent, query, replacement, nil))
      }
    }
    for (number, key) in constraints.uniqueKeys[table].enumerated() {
      guard let claim = try constraints.probe.claim(key, of: row, table: table) else { continue }
      let subject = ClaimTable.Subject(name: key.name, bytes: claim.bytes)
      candidate.claims.append((number, subject))
      if try mayHaveEntries(table) { claimed.append(RowKey(table: table, subject: subject)) }
      wanted.append((table, key.query(schema.tables[table]), claim.values, positions[identity]))
    }
  }

  private func hiddenCells(_ identity: RowIdentity) throws -> [Conflict.Cell]? {
    if let known = masks[identity] { return known }
    guard try mayHaveEntries(identity.table), let entry = try held.entry(identity), !entry.isHeld
    else { return nil }
    masks[identity] = entry.cells
    return entry.cells
  }

  /// Adds the held rows that are referred to, since the outcome depends on them.
  private func addHeldParents(_ reference: Reference, _ values: [Value]) throws {
    guard let parent = reference.parent, let columns = reference.parentPositions,
      try mayHaveEntries(parent)
    else { return }
    if reference.refersToPrimaryKey {
      if let identity = try parentIdentity(reference, values) { pending.append(identity) }
      return
    }
    guard
      let key = constraints.uniqueKeys[parent].first(where: {
        $0.columns.map(Set.init) == Set(columns)
      }), let order = key.columns
    else { return }
    let stored = order.map { column in
      let place = columns.firstIndex(of: column) ?? 0
      return reference.parentAffinities[place].compared(values[place])
    }
    claimed.append(
      RowKey(
        table: parent,
        subject: ClaimTable.Subject(
          name: key.name, bytes: try KeyProbe.bytes(stored, key.collations))))
  }

  /// Adds the rows on which the decision about candidates depends: those that claim the same keys, held rows
  /// to which candidates refer, and, if rows can need each other in a circle, visible rows too.
  private func gather() throws {
    while true {
      if let (table, query, values, claimant) = wanted.popLast() {
        for row in try rows(query, values) {
          if schema.tables[table].hasKey(row) {
            try lift(row, schema.tables[table].identity(row, number: table))
          } else if let claimant {
            // A row that another program wrote without a key is not replicated, and stays. So the other row
            // is the one that cannot be in the table.
            candidates[claimant].broken = .unique
            candidates[claimant].isComplete = false
          }
        }
      } else if let key = claimed.popLast() {
        guard asked.insert(key).inserted else { continue }
        for row in try claimTable.rows(with: key) { try addIfHeld(row) }
      } else if let identity = pending.popLast() {
        try addIfHeld(identity)
      } else {
        return
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

  /// Adds the rows that refer to candidates that become visible or stop being visible.
  private func addChildren(_ verdicts: [Resolution.Verdict]) throws -> Bool {
    let before = candidates.count
    var open: [Int] = []
    for (position, verdict) in verdicts.enumerated() where !expanded.contains(position) {
      let candidate = candidates[position]
      if verdict.isHeld || candidate.shown == nil || changesKey(candidate) {
        open.append(position)
      }
    }
    // A row that refers to a held row is usually held too, and a row that waits for a returning row returns
    // too. With the children added at once, a long chain takes one round.
    while let position = open.popLast() {
      guard expanded.insert(position).inserted else { continue }
      let start = candidates.count
      try addChildren(of: candidates[position])
      let isHeld = position >= verdicts.count || verdicts[position].isHeld
      for child in start..<candidates.count where isHeld || candidates[child].shown == nil {
        open.append(child)
      }
    }
    return candidates.count > before
  }

  /// Whether rows that referred to what a row shows may now refer to another row.
  private func changesKey(_ candidate: Candidate) -> Bool {
    guard let shown = candidate.shown else { return false }
    return constraints.referring[candidate.identity.table].contains { child, number in
      constraints.references[child][number].parentPositions?
        .contains { shown[$0] != candidate.row[$0] } ?? false
    }
  }

  private func addChildren(of candidate: Candidate) throws {
    for (child, number) in constraints.referring[candidate.identity.table] {
      guard let columns = constraints.references[child][number].parentPositions else { continue }
      let place = ReferencePlace(table: child, position: number)
      if let shown = candidate.shown {
        let values = columns.map { shown[$0] }
        if !values.contains(.null) {
          for row in try children.rows(place, of: values) where schema.tables[child].hasKey(row) {
            try lift(row, schema.tables[child].identity(row, number: child))
          }
        }
      }
    }
    var concerns = Concerns()
    if let shown = candidate.shown {
      try concerns.addParent(shown, table: candidate.identity.table, constraints)
    }
    try concerns.addParent(candidate.row, table: candidate.identity.table, constraints)
    for row in try rowsWrittenDown(concerns) { try addWrittenDown(row) }
  }

  /// Returns the rows that, according to the records, have one of these subjects or references.
  private func rowsWrittenDown(_ concerns: Concerns) throws -> Set<RowIdentity> {
    var rows: Set<RowIdentity> = []
    for subject in concerns.subjects where try mayHaveEntries(subject.table) {
      rows.formUnion(try claimTable.rows(with: subject))
    }
    for place in concerns.references where try mayHaveEntries(place.table) {
      rows.formUnion(try claimTable.rows(with: place))
    }
    return rows
  }
}
