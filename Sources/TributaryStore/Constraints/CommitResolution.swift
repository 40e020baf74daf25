import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// Lets a local commit have its effect on held rows: freed keys and parents that come back bring
/// rows back in the same commit, and a commit whose own rows would not be visible fails.
struct CommitResolution {
  let connection: Connection
  let schema: ReplicatedSchema
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  /// The transaction that is to be committed.
  let author: Conflict.Side
  /// The tables themselves have changed: the logs have the last word, at the next synchronisation.
  let decidesAll: Bool

  /// - Parameter changes: its record.
  /// - Throws: `SQLiteError` as for an ordinary constraint, naming the conflict.
  func run(_ changes: UnsafeRawBufferPointer, milliseconds: UInt64) throws {
    let exceptions = try Exceptions(connection, schema: schema)
    guard exceptions.hasRows else { return }
    exceptions.milliseconds = milliseconds
    connection.setForeignKeys(enforced: false)
    connection.setTriggers(firing: false)
    defer {
      connection.setTriggers(firing: true)
      connection.setForeignKeys(enforced: true)
    }
    // Rows come back as they would by an import. A failure takes the copies back with the rest.
    let triggers = ImportTriggers(connection)
    try triggers.renew()
    var written: Set<RowIdentity> = []
    var touched: Set<Int> = decidesAll ? Set(schema.tables.indices) : []
    var deletions: [RowIdentity: Conflict.Side] = [:]
    var reader = ChangeListReader(changes)
    while let change = try reader.next(layout: registry.layout) {
      guard let identity = try follow(change, exceptions) else { continue }
      touched.insert(identity.table)
      if change.operation == .delete {
        deletions[identity] = author
      } else {
        written.insert(identity)
      }
    }
    let outcome = try Resolver(
      connection, constraints, histories: nil, author: author, written: written,
      deletions: deletions
    ).resolve([:], orphans: [], touched: touched, milliseconds: milliseconds)
    if let refused = outcome.refused.first { throw refusal(refused) }
    try triggers.remove()
    if outcome.isIncomplete || decidesAll { try Settings(connection).set(.unresolved, .integer(1)) }
  }

  private func follow(
    _ change: ChangeView, _ exceptions: Exceptions
  ) throws -> RowIdentity? {
    guard let shape = registry.shapes[change.shapeID],
      let number = schema.tables.firstIndex(where: {
        SQLName($0.name) == SQLName(shape.table)
      })
    else { return nil }
    let key = try shape.key(change.operation, image: change.image)
    let identity = try schema.tables[number].identity(key: key, number: number)
    switch change.operation {
    case .delete: try exceptions.didDelete(identity, key: key)
    case .insert, .replace, .update:
      if exceptions.isHeld(identity) { throw try refusal(of: identity, key) }
      var columns: Set<Int>?
      if change.operation == .update {
        var cursor = change.values
        columns = []
        for column in shape.columns.indices where try cursor.next().kind != .absent {
          columns?.insert(column)
        }
      }
      try exceptions.didWrite(identity, key: key, columns: columns)
      if exceptions.hasClaims(identity) { try keepClaims(identity, key, exceptions) }
    }
    return identity
  }

  /// What the row does not have any more, it has not had all along when it has it again.
  private func keepClaims(
    _ identity: RowIdentity, _ key: [Value], _ exceptions: Exceptions
  ) throws {
    let table = ClaimTable(connection, schema: schema)
    let description = schema.tables[identity.table]
    let shown = try RowReader(description).row(key, in: connection)
    let row = shown.map { description.row($0, with: exceptions.hiddenCells(identity)) }
    let present = try row.map { try constraints.subjects(of: $0, table: identity.table) } ?? []
    let known = try table.claims(of: identity)
    let kept = known.filter { present.contains($0.key) }
    if kept.count < known.count { try table.replace(identity, with: kept) }
  }

  private func refusal(of identity: RowIdentity, _ key: [Value]) throws -> SQLiteError {
    let table = schema.tables[identity.table]
    let conflict = try ConflictTable(connection).conflicts(of: table.name, row: identity.key)
      .first { $0.isHeld }
    return refusal(
      SQLITE_CONSTRAINT | 6 << 8, "a row with this key is held", key, table, conflict)
  }

  private func refusal(
    _ refused: (table: Int, row: [Value], conflict: Conflict?)
  ) -> SQLiteError {
    let table = schema.tables[refused.table]
    let isOrphan = refused.conflict?.kind == .foreignKey
    return refusal(
      isOrphan ? SQLITE_CONSTRAINT | 3 << 8 : SQLITE_CONSTRAINT | 8 << 8,
      isOrphan
        ? "what the row refers to is not visible" : "a held row that comes first claims the same",
      table.key(of: refused.row), table, refused.conflict)
  }

  private func refusal(
    _ code: Int32, _ reason: String, _ key: [Value], _ table: TableDescription,
    _ conflict: Conflict?
  ) -> SQLiteError {
    var json = JSONWriter()
    json.key(key)
    let name = conflict.map { ", conflict \($0.id)" } ?? ""
    return SQLiteError(
      code: code,
      message:
        "constraint failed: row \(json.text) of table \(table.name): \(reason)\(name); resolve it "
        + "first (`tributary conflicts`)",
      path: connection.path)
  }
}
