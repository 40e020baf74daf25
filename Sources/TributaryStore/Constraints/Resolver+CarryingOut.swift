import TributaryCore
import TributaryLog
import TributarySQLite

extension Resolver {
  /// Puts the visible rows into their tables and records the others.
  ///
  /// - Returns: `nil` if some of the rows turned out to break a constraint because of their own values, so
  ///   that the decision must be made again.
  func carryOut(
    _ verdicts: [Resolution.Verdict], milliseconds: UInt64
  ) throws -> ResolverOutcome? {
    var outcome = ResolverOutcome()
    let hidden = try candidates.indices.map { position in
      verdicts[position] == .visible ? try hiddenReferences(position, verdicts) : []
    }
    guard try place(verdicts, hidden) else { return nil }
    // Conflicts state since when a row has not been visible.
    try completeSides(
      of: candidates.indices.filter { verdicts[$0].isHeld || !hidden[$0].isEmpty }
        .map { candidates[$0] })
    try findDeletions(verdicts, hidden)
    var records = ConflictRecords(self, verdicts, hidden)
    let refusals = try refusals(verdicts)
    for position in candidates.indices {
      let candidate = candidates[position]
      let table = schema.tables[candidate.identity.table]
      if verdicts[position] == .visible {
        let cells = hidden[position].flatMap { $0.cells }
        let new = table.row(candidate.row, with: hidden[position].flatMap { $0.shown })
        try note(candidate, cells, table)
        if let shown = candidate.shown {
          if !zip(shown, new).allSatisfy({ $0.hasSameBits(as: $1) }) {
            outcome.changes.append((candidate.identity.table, table.key(of: new), .updated))
          }
        } else {
          outcome.changes.append((candidate.identity.table, table.key(of: new), .inserted))
        }
      } else {
        try hold(candidate, table)
        if let shown = candidate.shown {
          try rowsAside(candidate.identity.table)?.leaveOut(table.key(of: shown))
          outcome.changes.append((candidate.identity.table, table.key(of: shown), .deleted))
        }
      }
      lacksDeletion = false
      let conflicts = try records.conflicts(of: position)
      try write(conflicts, of: candidate, table, milliseconds, &outcome)
      if author != nil, candidate.isWritten, verdicts[position].isHeld {
        outcome.refused.append(
          (
            candidate.identity.table, candidate.row, refusals[position] ?? conflicts.first
          ))
      }
    }
    try writeClaims(verdicts, hidden, &outcome)
    return outcome
  }

  /// Returns the conflicts of the rows that now block rows of the current commit.
  private func refusals(_ verdicts: [Resolution.Verdict]) throws -> [Int: Conflict] {
    guard author != nil else { return [:] }
    var found: [Int: Conflict] = [:]
    for position in candidates.indices where candidates[position].isWritten {
      guard case .claimed(_, let holder) = verdicts[position] else { continue }
      let table = schema.tables[candidates[holder].identity.table]
      found[position] = try ConflictTable(connection).conflicts(
        of: table.name, row: candidates[holder].identity.key
      ).first { $0.isHeld }
    }
    return found
  }

  /// A reference that shows other values because its parent is not visible.
  struct HiddenReference {
    var reference: Int
    /// What the row refers to.
    var cells: [Conflict.Cell]
    /// What it shows.
    var shown: [Conflict.Cell]
  }

  private func hiddenReferences(
    _ position: Int, _ verdicts: [Resolution.Verdict]
  ) throws -> [HiddenReference] {
    let candidate = candidates[position]
    let columns = schema.tables[candidate.identity.table].shape.columns
    return try candidate.referred.compactMap { referred in
      let reference = constraints.references[candidate.identity.table][referred.reference]
      guard case .show(let replacement) = reference.absence,
        try !constraints.parentExists(reference, referred.values),
        try !parents(reference, referred.values).contains(where: { verdicts[$0] == .visible })
      else { return nil }
      let names = reference.childColumns.map { columns[$0] }
      return HiddenReference(
        reference: referred.reference,
        cells: zip(names, referred.values).map { Conflict.Cell(column: $0, value: $1) },
        shown: zip(names, replacement).map { Conflict.Cell(column: $0, value: $1) })
    }
  }

  /// Finds the transactions that deleted the missing parents.
  private func findDeletions(
    _ verdicts: [Resolution.Verdict], _ hidden: [[HiddenReference]]
  ) throws {
    guard let histories else { return }
    var parents: Set<RowIdentity> = []
    for position in candidates.indices {
      var numbers = hidden[position].map(\.reference)
      if case .orphaned(let number) = verdicts[position] { numbers.append(number) }
      for referred in candidates[position].referred where numbers.contains(referred.reference) {
        let reference =
          constraints.references[candidates[position].identity.table][referred.reference]
        if let parent = try parentIdentity(reference, referred.values), positions[parent] == nil {
          parents.insert(parent)
        }
      }
    }
    if parents.isEmpty { return }
    for (parent, history) in try histories(parents) { deletions[parent] = history.lastDeletion }
  }

  /// Puts the visible rows into their tables.
  ///
  /// - Returns: `false` if some of them break a constraint because of their own values. These are noted, and
  ///   no table has changed.
  private func place(
    _ verdicts: [Resolution.Verdict], _ hidden: [[HiddenReference]]
  ) throws -> Bool {
    try connection.execute("SAVEPOINT tributary_place")
    var isWhole = true
    for position in candidates.indices where verdicts[position] == .visible {
      let candidate = candidates[position]
      let number = candidate.identity.table
      let new = schema.tables[number].row(
        candidate.row, with: hidden[position].flatMap { $0.shown })
      do {
        if candidate.shown != nil, let rows = try rowsAside(number) {
          try rows.putBack(new)
        } else {
          try insert(new, number)
        }
      } catch let error as SQLiteError
        where error.breaks(schema.tables[number]) && !(author != nil && candidate.isWritten)
      {
        candidate.broken = Conflict.Kind(error.constraint)
        candidate.isComplete = false
        isWhole = false
      }
    }
    if !isWhole { try connection.execute("ROLLBACK TO tributary_place") }
    try connection.execute("RELEASE tributary_place")
    return isWhole
  }

  private func insert(_ row: [Value], _ number: Int) throws {
    let table = schema.tables[number]
    let manner = try WriteManner(table, importingOn: connection)
    if manner.looksFirst { try constraints.checkAlone(row, table: number) }
    let columns = table.shape.columns.map(\.quotedIdentifier).joined(separator: ", ")
    let marks = row.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.cached(
      "INSERT\(manner.clause) INTO main.\(table.name.quotedIdentifier) (\(columns)) VALUES (\(marks))"
    )
    try statement.bind(row)
    try statement.run()
    if connection.changes == 0 { throw constraints.passedOver(table: number) }
  }

  /// Records what a visible row does not show.
  private func note(
    _ candidate: Candidate, _ cells: [Conflict.Cell], _ table: TableDescription
  ) throws {
    let held = HeldTable(connection, schema: schema)
    if !cells.isEmpty {
      try held.put(HeldTable.Entry(identity: candidate.identity, isHeld: false, cells: cells))
    } else if candidate.shown == nil || masks[candidate.identity] != nil {
      try held.remove(candidate.identity)
    }
  }

  private func hold(_ candidate: Candidate, _ table: TableDescription) throws {
    // If the row was neither shown nor written, it was already held, in this state.
    if candidate.shown == nil, !candidate.isWritten { return }
    let cells = zip(table.shape.columns, candidate.row).map {
      Conflict.Cell(column: $0, value: $1)
    }
    try HeldTable(connection, schema: schema).put(
      HeldTable.Entry(identity: candidate.identity, isHeld: true, cells: cells))
  }

  /// Records the conflicts about a row as a whole, and ends those that it no longer has.
  private func write(
    _ conflicts: [Conflict], of candidate: Candidate, _ table: TableDescription,
    _ milliseconds: UInt64, _ outcome: inout ResolverOutcome
  ) throws {
    let written = ConflictTable(connection)
    let present = try written.conflicts(of: table.name, row: candidate.identity.key)
      .filter { !$0.kind.isAboutCells }
    for old in present where !conflicts.contains(where: { $0.id == old.id }) {
      try written.end(old, row: candidate.identity.key, milliseconds: milliseconds)
    }
    for var new in conflicts {
      let old = present.first { $0.id == new.id }
      if lacksDeletion {
        // Only the logs show which transaction removed the parent.
        outcome.isIncomplete = true
        if let old { new.winner = old.winner }
      }
      if old == new { continue }
      try written.put(new, row: candidate.identity.key)
      if old == nil { outcome.conflicts.append(new) }
    }
  }

  private func writeClaims(
    _ verdicts: [Resolution.Verdict], _ hidden: [[HiddenReference]],
    _ outcome: inout ResolverOutcome
  ) throws {
    var wanted: Set<RowKey> = []
    for (position, candidate) in candidates.enumerated() where verdicts[position].isHeld {
      for claim in candidate.claims {
        wanted.insert(RowKey(table: candidate.identity.table, subject: claim.subject))
      }
    }
    let table = ClaimTable(connection, schema: schema)
    for (position, candidate) in candidates.enumerated() {
      var kept: [ClaimTable.Subject: Conflict.Side] = [:]
      var unknown: Set<ClaimTable.Subject> = []
      for claim in candidate.claims
      where wanted.contains(RowKey(table: candidate.identity.table, subject: claim.subject)) {
        kept[claim.subject] = candidate.sides[claim.subject]
        if kept[claim.subject] == nil { unknown.insert(claim.subject) }
      }
      if candidate.broken != nil {
        let whole = ClaimTable.Subject.whole(candidate.identity)
        kept[whole] = candidate.sides[whole]
        if kept[whole] == nil { unknown.insert(whole) }
      }
      for referred in candidate.referred
      where verdicts[position].isHeld
        || hidden[position].contains(where: { $0.reference == referred.reference })
      {
        kept[referred.subject] = candidate.sides[referred.subject]
        if kept[referred.subject] == nil { unknown.insert(referred.subject) }
      }
      if !unknown.isEmpty { outcome.isIncomplete = true }
      let subjects = Set(try table.subjects(of: candidate.identity))
      if try subjects != unknown.union(kept.keys)
        || table.claims(of: candidate.identity) != kept
      {
        var claims = kept.mapValues { Conflict.Side?.some($0) }
        for subject in unknown { claims.updateValue(nil, forKey: subject) }
        try table.replace(candidate.identity, with: claims)
      }
    }
  }
}
