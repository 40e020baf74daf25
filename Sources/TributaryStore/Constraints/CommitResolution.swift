import CSQLite
import TributaryCore
import TributaryLog
import TributarySQLite

/// Applies the effect of a local commit on held rows. Keys that have become free and parents that return
/// bring rows back in the same commit; a commit whose own rows would not be visible fails.
struct CommitResolution {
  let connection: Connection
  let schema: ReplicatedSchema
  let constraints: ConstraintSet
  let registry: ShapeRegistry
  /// The transaction being committed.
  let author: Conflict.Side
  /// Whether the tables themselves have changed. If so, the logs have the final say at the next
  /// synchronisation.
  let decidesAll: Bool

  /// Whether a transaction that would hide its own rows fails. What other programs have already committed can
  /// no longer fail, so it is treated like an import.
  let refuses: Bool

  /// Whether the application's triggers fire on the connection.
  let firesTriggers: Bool

  /// The held rows that the transaction must make visible.
  let demanded: Set<RowIdentity>

  /// Applies the effects.
  ///
  /// - Parameter orphans: visible rows that have lost what they refer to.
  /// - Parameter moved: rows that got other numbers through the transaction, or that refer to such rows.
  /// - Parameter pieces: lends the record of the transaction, in pieces.
  /// - Throws: `SQLiteError` as for an ordinary constraint, naming the conflict.
  func run(
    orphans: [(table: Int, row: [Value])] = [], moved: RowMoves, milliseconds: UInt64,
    pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let exceptions = try Exceptions(connection, constraints)
    guard exceptions.hasRows || !orphans.isEmpty else { return }
    exceptions.milliseconds = milliseconds
    exceptions.didMove(moved.held)
    connection.setForeignKeys(enforced: false)
    connection.setTriggers(firing: false)
    defer {
      connection.setTriggers(firing: firesTriggers)
      connection.setForeignKeys(enforced: schema.enforcesForeignKeys)
    }
    // Rows come back as they would in an import. A failure rolls back the copies too.
    let triggers = ImportTriggers(connection)
    try triggers.renew()
    for row in moved.visible {
      try row.write(schema.tables[row.identity.table], to: connection)
      exceptions.didLose(row.lost, row.identity)
    }
    let orphans = try following(orphans, moved.visible) + left(by: moved.visible)
    var effects = Effects()
    try pieces { changes in
      var reader = ChangeListReader(changes)
      while let change = try reader.next(layout: registry.layout) {
        try follow(change, exceptions, &effects)
      }
    }
    let outcome = try Resolver(
      connection, constraints, histories: nil, author: author, written: effects.written,
      undated: effects.undated, deletions: effects.deletions
    ).resolve(
      effects.held, orphans: orphans, concerns: decidesAll ? nil : exceptions.concerns,
      milliseconds: milliseconds)
    if refuses, let refused = outcome.refused.first { throw refusal(refused) }
    try triggers.remove()
    if outcome.isIncomplete || decidesAll { try Settings(connection).set(.unresolved, .integer(1)) }
  }

  /// Returns rows as they are once other rows, and they themselves, have got other numbers.
  private func following(
    _ rows: [(table: Int, row: [Value])], _ moved: [MovedRow]
  ) throws -> [(table: Int, row: [Value])] {
    if moved.isEmpty { return rows }
    let places = Dictionary(moved.map { ($0.identity, $0.new) }, uniquingKeysWith: { $1 })
    return try rows.map { table, row in
      (table, places[try schema.tables[table].identity(row, number: table)] ?? row)
    }
  }

  /// Returns the visible rows that have lost what they refer to, because it now has another key. The
  /// transaction wrote these rows, so the number in them means the new row.
  private func left(by moved: [MovedRow]) throws -> [(table: Int, row: [Value])] {
    let children = ChildSearch(connection, constraints)
    var orphans: [(table: Int, row: [Value])] = []
    for parent in moved {
      for (child, position) in constraints.referring[parent.identity.table] {
        let reference = constraints.references[child][position]
        // A key that SQLite computes is derived from columns that contain no such numbers.
        guard let columns = reference.parentPositions,
          !Set(columns).isDisjoint(with: parent.changedColumns)
        else { continue }
        let values = columns.map { parent.old[$0] }
        if try values.contains(.null) || constraints.parentExists(reference, values) { continue }
        orphans += try children.rows(ReferencePlace(table: child, position: position), of: values)
          .map { (child, $0) }
      }
    }
    return orphans
  }

  /// The effects of the transaction on rows.
  private struct Effects {
    var written: Set<RowIdentity> = []
    /// Rows that existed before; only the logs know their former values.
    var undated: Set<RowIdentity> = []
    var deletions: [RowIdentity: Conflict.Side] = [:]
    /// The held rows that the transaction writes again.
    var held: [RowIdentity: Resolver.Lifted] = [:]
  }

  private func follow(
    _ change: ChangeView, _ exceptions: Exceptions, _ effects: inout Effects
  ) throws {
    guard let shape = registry.shapes[change.shapeID],
      let number = schema.tables.firstIndex(where: {
        SQLName($0.name) == SQLName(shape.table)
      })
    else { return }
    let key = try shape.key(change.operation, image: change.image)
    let identity = try schema.tables[number].identity(key: key, number: number)
    if change.operation == .delete {
      try exceptions.didDelete(identity, key: key)
      exceptions.didChange(table: number, key: key, isNew: false)
      effects.deletions[identity] = author
      return
    }
    if !refuses, change.operation != .insert { effects.undated.insert(identity) }
    if !refuses, change.operation != .update, try exceptions.rowAway(identity) != nil {
      // The program could not know about the held row. The row is now what the program wrote; what the row
      // still has, it has had as long as before.
      try exceptions.didShow(identity, key: key)
      effects.undated.insert(identity)
    }
    if var row = try exceptions.rowAway(identity) {
      // Only resolving a conflict writes a row that is not in its table.
      if change.operation == .insert { throw try refusal(of: identity, key) }
      row.isWritten = demanded.contains(identity)
      effects.held[identity] = row
      return
    }
    try exceptions.didWrite(
      identity, key: key, columns: columns(change, shape, exceptions.hiddenCells(identity)))
    try keepClaims(identity, key, exceptions)
    exceptions.didChange(table: number, key: key, isNew: change.operation == .insert)
    effects.written.insert(identity)
  }

  /// Returns the columns that got a value other than the one they hide.
  private func columns(
    _ change: ChangeView, _ shape: TableShape, _ hidden: [Conflict.Cell]
  ) throws -> Set<Int> {
    if hidden.isEmpty { return [] }
    var columns: Set<Int> = []
    var cursor = change.values
    for (column, name) in shape.columns.enumerated() {
      guard let value = try cursor.next().value else { continue }
      let cell = hidden.first { SQLName($0.column) == SQLName(name) }
      if cell.map({ !$0.value.hasSameBits(as: value) }) ?? true { columns.insert(column) }
    }
    return columns
  }

  /// Removes what the row no longer has: if it has it again later, it has not had it all along.
  private func keepClaims(
    _ identity: RowIdentity, _ key: [Value], _ exceptions: Exceptions
  ) throws {
    let table = ClaimTable(connection, schema: schema)
    let subjects = try table.subjects(of: identity)
    if subjects.isEmpty { return }
    let description = schema.tables[identity.table]
    let shown = try RowReader(description).row(key, in: connection)
    let hidden = try exceptions.hiddenCells(identity)
    let row = shown.map { description.row($0, with: hidden) }
    let present = try row.map { try constraints.subjects(of: $0, table: identity.table) } ?? []
    let lost = subjects.filter { !present.contains($0) }
    if lost.isEmpty { return }
    exceptions.didLose(lost, identity)
    let known = try table.claims(of: identity)
    var kept: [ClaimTable.Subject: Conflict.Side?] = [:]
    for subject in subjects where present.contains(subject) {
      kept.updateValue(known[subject], forKey: subject)
    }
    try table.replace(identity, with: kept)
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
    let (code, reason) =
      switch refused.conflict?.kind {
      case .foreignKey: (3, "what the row refers to is not visible")
      case .check: (1, "a CHECK does not allow the row")
      case .notNull: (5, "the row has NULL where that is not allowed")
      case .type: (12, "a value of the row has not the type of its column")
      default: (8, "a held row that comes first claims the same")
      }
    return refusal(
      SQLITE_CONSTRAINT | Int32(code) << 8, reason, table.key(of: refused.row), table,
      refused.conflict)
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
