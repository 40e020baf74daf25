import TributaryCore
import TributarySQLite

/// What a store has recorded about conflicts, and about rows whose tables do not show them as they really
/// are. It is looked up row by row, within one SQLite transaction.
package final class Exceptions {
  private let connection: Connection
  private let schema: ReplicatedSchema
  private let constraints: ConstraintSet
  private var heldTable: HeldTable { HeldTable(connection, schema: schema) }
  private var claimTable: ClaimTable { ClaimTable(connection, schema: schema) }

  /// By table and key, the rows that are out of the table, as far as they were looked up, taken out or
  /// changed; `nil` for rows that are not, or no longer, out of it.
  private var away: [[[UInt8]: Resolver.Lifted?]]
  /// For each table, the number of these rows.
  private var awayCounts: [Int]
  /// For each table, whether any of its rows had records when the transaction began.
  private var hasEntries: [Bool]
  private var hasClaims: [Bool]
  private var hasLastingConflicts: [Bool]
  /// For each table, the rows that have got conflicts since then.
  private var disputed: [Set<[UInt8]>]
  /// For each table, whether tables of its group have entries.
  private var isConnected: [Bool]

  /// What the transaction changes that may concern rows which are not visible as they really are.
  package private(set) var concerns = Concerns()
  /// The conflicts recorded since the last `reload`.
  package private(set) var newConflicts: [Conflict] = []
  /// Whether there were conflicts at the last `reload`.
  package private(set) var hadConflicts = false
  /// The time to record for conflicts that end now.
  package var milliseconds: UInt64 = 0

  package init(_ connection: Connection, _ constraints: ConstraintSet) throws {
    self.connection = connection
    self.constraints = constraints
    schema = constraints.schema
    away = schema.tables.map { _ in [:] }
    awayCounts = schema.tables.map { _ in 0 }
    hasEntries = schema.tables.map { _ in false }
    hasClaims = hasEntries
    hasLastingConflicts = hasEntries
    isConnected = hasEntries
    disputed = schema.tables.map { _ in [] }
    try reload()
  }

  /// Finds out which tables are affected.
  ///
  /// - Complexity: a few searches per table.
  package func reload() throws {
    for table in schema.tables.indices {
      away[table].removeAll()
      awayCounts[table] = 0
      disputed[table].removeAll()
    }
    newConflicts.removeAll()
    concerns = Concerns()
    let hasRows = try !HeldTable.isEmpty(connection)
    let hasAnyClaims = try !ClaimTable.isEmpty(connection)
    if hasRows, connection.isInTransaction { try ClaimTable.makeIndex(connection) }
    hadConflicts = try !ConflictTable(connection).isEmpty()
    for (number, table) in schema.tables.enumerated() {
      hasEntries[number] = try hasRows && HeldTable.isThere(of: table.name, connection)
      hasClaims[number] = try hasAnyClaims && ClaimTable.isThere(of: table.name, connection)
      hasLastingConflicts[number] =
        try hadConflicts && ConflictTable(connection).isThere(of: table.name)
    }
    isConnected = constraints.connected(hasEntries)
  }

  /// Whether any row was held, or showed other values than those it refers to, when the transaction began.
  package var hasRows: Bool { hasEntries.contains(true) }

  /// Whether rows of the table are held, or may be.
  package func hasHeldRows(_ table: Int) -> Bool { hasEntries[table] }

  /// Whether this type must be notified of writes to rows of the table.
  package func follows(_ table: Int) -> Bool { hasEntries[table] || hasClaims[table] }

  /// Whether writes to the table may concern rows that are not visible as they really are.
  package func isConnected(_ table: Int) -> Bool { isConnected[table] }

  // MARK: Rows that are out of their table

  /// Whether rows of the table may be out of it.
  package func hasRowsAway(_ table: Int) -> Bool { hasEntries[table] || awayCounts[table] > 0 }

  /// Returns a row that is out of its table.
  package func rowAway(_ identity: RowIdentity) throws -> Resolver.Lifted? {
    if let known = away[identity.table][identity.key] { return known }
    guard hasEntries[identity.table], let entry = try heldTable.entry(identity), entry.isHeld else {
      return nil
    }
    let row = Resolver.Lifted(row: try heldTable.row(entry), shown: nil, isWritten: false)
    setAway(identity, row)
    return row
  }

  /// Records that the row is out of its table or, with `nil`, that it no longer is.
  package func setAway(_ identity: RowIdentity, _ row: Resolver.Lifted?) {
    let wasAway = away[identity.table][identity.key].map { $0 != nil } ?? false
    awayCounts[identity.table] += (row == nil ? 0 : 1) - (wasAway ? 1 : 0)
    away[identity.table].updateValue(row, forKey: identity.key)
  }

  /// Returns the rows of a table that were looked up, taken out or changed.
  package func rowsAway(_ table: Int) -> [(key: [UInt8], row: Resolver.Lifted)] {
    away[table].compactMap { key, row in row.map { (key, $0) } }
  }

  func isHeld(_ identity: RowIdentity) throws -> Bool { try rowAway(identity) != nil }

  /// Returns what a row refers to, for the columns in which it shows other values.
  package func hiddenCells(_ identity: RowIdentity) throws -> [Conflict.Cell] {
    guard hasEntries[identity.table], let entry = try heldTable.entry(identity), !entry.isHeld
    else { return [] }
    return entry.cells
  }

  // MARK: Following writes

  /// Notifies this type that a visible row was written.
  ///
  /// - Parameter columns: the positions of the columns that got a value other than the one they hide; `nil`
  ///   means all.
  package func didWrite(_ identity: RowIdentity, key: [Value], columns: Set<Int>?) throws {
    let cells = try hiddenCells(identity)
    if cells.isEmpty { return }
    // This holds even if the row was given the value that it hides: it must not show that value without its
    // parent.
    concerns.rows.insert(identity)
    let names = schema.tables[identity.table].shape.columns.map { SQLName($0) }
    let left = cells.filter { cell in
      guard let columns, let column = names.firstIndex(of: SQLName(cell.column)) else {
        return false
      }
      return !columns.contains(column)
    }
    if left.count == cells.count { return }
    try endRowConflicts(identity, key)
    if left.isEmpty {
      try heldTable.remove(identity)
    } else {
      try heldTable.put(HeldTable.Entry(identity: identity, isHeld: false, cells: left))
    }
  }

  /// Notifies this type that changes of a row have arrived, whether or not the row is visible. Since when it
  /// has had its keys must then be found out again.
  package func didMeet(_ identity: RowIdentity) throws {
    guard follows(identity.table) else { return }
    if try concern(identity) { try claimTable.replace(identity, with: [:]) }
  }

  /// Adds, to the rows that must be decided about, those that depend on the recorded state of a row.
  ///
  /// - Returns: whether any claim of the row is recorded.
  private func concern(_ identity: RowIdentity) throws -> Bool {
    let claims = try claimTable.subjects(of: identity)
    for subject in claims {
      concerns.subjects.insert(RowKey(table: identity.table, subject: subject))
    }
    if let entry = try heldTable.entry(identity) {
      concerns.rows.insert(identity)
      if entry.isHeld { try concern(entry) }
    }
    return !claims.isEmpty
  }

  /// Adds the rows that refer to a held row, since they depend on what happens to it.
  private func concern(_ entry: HeldTable.Entry) throws {
    try concerns.addParent(heldTable.row(entry), table: entry.identity.table, constraints)
  }

  /// Notifies this type that rows which are not visible as they really are got other keys, or refer to other
  /// numbers.
  func didMove(_ rows: Set<RowIdentity>) { concerns.rows.formUnion(rows) }

  /// Notifies this type that a row was deleted, or that a held one is dead.
  package func didDelete(_ identity: RowIdentity, key: [Value]) throws {
    setAway(identity, nil)
    guard follows(identity.table) else { return }
    try didMeet(identity)
    guard try heldTable.entry(identity) != nil else { return }
    try heldTable.remove(identity)
    try endRowConflicts(identity, key)
  }

  /// Notifies this type that a program that cannot see held rows has written under the key of one. The row is
  /// in its table now, and what is known about its claims is kept.
  func didShow(_ identity: RowIdentity, key: [Value]) throws {
    setAway(identity, nil)
    _ = try concern(identity)
    try heldTable.remove(identity)
    try endRowConflicts(identity, key)
  }

  /// Notifies this type that a row no longer has these claims.
  func didLose(_ subjects: [ClaimTable.Subject], _ identity: RowIdentity) {
    for subject in subjects {
      concerns.subjects.insert(RowKey(table: identity.table, subject: subject))
    }
  }

  /// Notifies this type that a row was changed in its table. What it claims, and the rows that refer to it,
  /// may concern rows that are not visible.
  ///
  /// - Parameter key: the key, in the order of its columns.
  /// - Parameter isNew: whether there was no row under the key.
  package func didChange(table: Int, key: [Value], isNew: Bool) {
    if isConnected[table] { concerns.changed.append((table, key, isNew)) }
  }

  private func endRowConflicts(
    _ identity: RowIdentity, _ key: [Value]
  ) throws {
    let table = ConflictTable(connection)
    for conflict in try table.conflicts(
      of: schema.tables[identity.table].name, row: identity.key)
    where !conflict.kind.isAboutCells {
      try table.end(conflict, row: identity.key, milliseconds: milliseconds)
    }
  }

  // MARK: Conflicts about cells

  /// Whether rows of the table may have conflicts.
  package func hasConflicts(_ table: Int) -> Bool {
    hasLastingConflicts[table] || !disputed[table].isEmpty
  }

  /// Returns the conflicts about the cells of a row.
  package func conflicts(_ identity: RowIdentity) throws -> [Conflict] {
    guard hasLastingConflicts[identity.table] || disputed[identity.table].contains(identity.key)
    else { return [] }
    return try ConflictTable(connection).conflicts(
      of: schema.tables[identity.table].name, row: identity.key
    ).filter(\.kind.isAboutCells)
  }

  /// Replaces the conflicts about the cells of a row.
  ///
  /// - Parameter old: the conflicts that it had.
  package func replaceConflicts(
    of identity: RowIdentity, _ old: [Conflict], with new: [Conflict]
  ) throws {
    if old.isEmpty, new.isEmpty { return }
    let table = ConflictTable(connection)
    for conflict in old where !new.contains(where: { $0.id == conflict.id }) {
      try table.end(conflict, row: identity.key, milliseconds: milliseconds)
    }
    for conflict in new {
      let known = old.first { $0.id == conflict.id }
      if known == conflict { continue }
      try table.put(conflict, row: identity.key)
      if known == nil { newConflicts.append(conflict) }
    }
    disputed[identity.table].insert(identity.key)
  }
}
