import TributaryCore
import TributarySQLite

/// What a store has written down of rows that are not as their tables show them, and of conflicts:
/// read once for each SQLite transaction, and empty in most stores.
public final class Exceptions {
  private let connection: Connection
  private let schema: ReplicatedSchema

  /// By table and key: rows that are out of the table, held ones and those taken out since.
  public var away: [[[UInt8]: Resolver.Lifted]]
  private var held: [Set<[UInt8]>]
  private var masked: [[[UInt8]: [Conflict.Cell]]]
  /// Rows of which it is written down since when they have their unique keys.
  private var claimed: [Set<[UInt8]>]
  /// Rows that may have conflicts, by table; `nil` when they are too many to be kept in mind.
  private var disputed: [Set<[UInt8]>]?
  /// What `disputed` was read under.
  private var dataVersion: Int64?
  /// Tables of which changes have come since the last `reload`.
  public private(set) var touched: Set<Int> = []
  /// Written down since the last `reload`.
  public private(set) var newConflicts: [Conflict] = []
  /// At the last `reload`.
  public private(set) var hadConflicts = false
  /// When conflicts end that end now.
  public var milliseconds: UInt64 = 0

  public init(_ connection: Connection, schema: ReplicatedSchema) throws {
    self.connection = connection
    self.schema = schema
    away = schema.tables.map { _ in [:] }
    held = schema.tables.map { _ in [] }
    masked = schema.tables.map { _ in [:] }
    claimed = held
    try reload()
  }

  /// Reads all that is written down.
  public func reload() throws {
    for table in schema.tables.indices {
      away[table].removeAll()
      held[table].removeAll()
      masked[table].removeAll()
      claimed[table].removeAll()
    }
    newConflicts.removeAll()
    touched.removeAll()
    if try !HeldTable.isEmpty(connection) { try readRows() }
    hadConflicts = try !ConflictTable(connection).isEmpty()
    // It changes when another connection has written.
    let version = try connection.integer("PRAGMA data_version")
    if version != dataVersion { try readConflicts() }
    dataVersion = version
  }

  private func readRows() throws {
    let table = HeldTable(connection, schema: schema)
    for entry in try table.entries(of: Set(schema.tables.indices)) {
      if entry.isHeld {
        held[entry.identity.table].insert(entry.identity.key)
        away[entry.identity.table][entry.identity.key] = Resolver.Lifted(
          row: try table.row(entry), shown: nil, isWritten: false)
      } else {
        masked[entry.identity.table][entry.identity.key] = entry.cells
      }
    }
    let statement = try connection.cached("SELECT DISTINCT \"table\", key FROM tributary_claim")
    defer { statement.reset() }
    while try statement.step() {
      let name = statement.string(0)
      guard let number = schema.tables.firstIndex(where: { SQLName($0.name) == SQLName(name) })
      else { continue }
      claimed[number].insert(Array(statement.bytes(1)))
    }
  }

  /// So many rows are kept in mind; of more, each is asked for.
  private static let limit = 100_000

  private func readConflicts() throws {
    guard hadConflicts else {
      disputed = schema.tables.map { _ in [] }
      return
    }
    let rows = try ConflictTable(connection).rows(limit: Self.limit)
    disputed = rows.map { rows in schema.tables.map { rows[SQLName($0.name)] ?? [] } }
  }

  /// No row is held or shows something else than it refers to.
  public var hasRows: Bool {
    held.contains { !$0.isEmpty } || masked.contains { !$0.isEmpty }
  }

  public func hasHeldRows(_ table: Int) -> Bool { !held[table].isEmpty }

  public func isHeld(_ identity: RowIdentity) -> Bool {
    held[identity.table].contains(identity.key)
  }

  /// It is written down since when the row has unique keys.
  func hasClaims(_ identity: RowIdentity) -> Bool {
    claimed[identity.table].contains(identity.key)
  }

  /// Whether writing a row of the table has to be followed here.
  public func follows(_ table: Int) -> Bool {
    !masked[table].isEmpty || !claimed[table].isEmpty || !held[table].isEmpty
  }

  /// What a row refers to, where it shows something else.
  public func hiddenCells(_ identity: RowIdentity) -> [Conflict.Cell] {
    masked[identity.table][identity.key] ?? []
  }

  // MARK: Following writes

  /// A visible row was written.
  ///
  /// - Parameter columns: the positions of those written; `nil` for all.
  public func didWrite(_ identity: RowIdentity, key: [Value], columns: Set<Int>?) throws {
    guard let cells = masked[identity.table][identity.key] else { return }
    let names = schema.tables[identity.table].shape.columns.map { SQLName($0) }
    let left = cells.filter { cell in
      guard let columns, let column = names.firstIndex(of: SQLName(cell.column)) else {
        return false
      }
      return !columns.contains(column)
    }
    if left.count == cells.count { return }
    try endRowConflicts(identity, key)
    let table = HeldTable(connection, schema: schema)
    if left.isEmpty {
      masked[identity.table][identity.key] = nil
      try table.remove(identity)
    } else {
      masked[identity.table][identity.key] = left
      try table.put(HeldTable.Entry(identity: identity, isHeld: false, cells: left))
    }
  }

  /// Changes of rows of the table have come, whether they show or not.
  public func didTouch(_ table: Int) { touched.insert(table) }

  /// A row was deleted, or a held one is dead.
  public func didDelete(_ identity: RowIdentity, key: [Value]) throws {
    try forgetClaims(identity)
    let wasHeld = held[identity.table].remove(identity.key) != nil
    let wasMasked = masked[identity.table].removeValue(forKey: identity.key) != nil
    guard wasHeld || wasMasked else { return }
    try HeldTable(connection, schema: schema).remove(identity)
    try endRowConflicts(identity, key)
  }

  /// Changes of a row have come, whether they show or not: since when it has its keys is to be found
  /// out again.
  public func didMeet(_ identity: RowIdentity) throws { try forgetClaims(identity) }

  private func forgetClaims(_ identity: RowIdentity) throws {
    guard claimed[identity.table].remove(identity.key) != nil else { return }
    try ClaimTable(connection, schema: schema).replace(identity, with: [:])
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
  public func hasConflicts(_ table: Int) -> Bool { disputed.map { !$0[table].isEmpty } ?? true }

  /// The conflicts of a row about its cells.
  public func conflicts(_ identity: RowIdentity) throws -> [Conflict] {
    if let disputed, !disputed[identity.table].contains(identity.key) { return [] }
    return try ConflictTable(connection).conflicts(
      of: schema.tables[identity.table].name, row: identity.key
    ).filter(\.kind.isAboutCells)
  }

  /// The row has these conflicts about cells, and no others.
  ///
  /// - Parameter old: those that it had.
  public func replaceConflicts(
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
    if disputed?[identity.table].insert(identity.key).inserted == true,
      disputed?[identity.table].count ?? 0 > Self.limit
    {
      disputed = nil
    }
  }
}
