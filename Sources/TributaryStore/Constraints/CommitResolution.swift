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

  /// A transaction that would hide its own rows fails. What other programs have committed cannot fail any
  /// more: it is treated as an import is.
  let refuses: Bool

  /// Whether the application's triggers fire on the connection.
  let firesTriggers: Bool

  /// Held rows that it must make visible.
  let demanded: Set<RowIdentity>

  /// - Parameter orphans: visible rows that have lost what they refer to.
  /// - Parameter moved: rows that have got other numbers by it, or refer to those.
  /// - Parameter pieces: lends its record, in pieces.
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
    // Rows come back as they would by an import. A failure takes the copies back with the rest.
    let triggers = ImportTriggers(connection)
    try triggers.renew()
    for row in moved.visible {
      try row.write(schema.tables[row.identity.table], to: connection)
      exceptions.didLose(row.lost, row.identity)
    }
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

  /// What the transaction does to rows.
  private struct Effects {
    var written: Set<RowIdentity> = []
    /// Rows that were there before: only the logs know what they had then.
    var undated: Set<RowIdentity> = []
    var deletions: [RowIdentity: Conflict.Side] = [:]
    /// Held rows that it writes again.
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
      // The program could not know of it. The row is what it wrote now, and has as long as before what it
      // has still.
      try exceptions.didShow(identity, key: key)
      effects.undated.insert(identity)
    }
    if var row = try exceptions.rowAway(identity) {
      // Only what settles a conflict writes a row that is not in its table.
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

  /// The columns that have got another value than they hide.
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

  /// What the row does not have any more, it has not had all along when it has it again.
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
