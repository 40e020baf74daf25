import TributaryCore
import TributaryLog
import TributarySQLite

extension Resolver {
  /// Returns the candidates that share a claimed key with another one.
  func rivals() -> [Candidate] {
    var claimants: [RowKey: Int] = [:]
    for candidate in candidates {
      for claim in candidate.claims {
        claimants[RowKey(table: candidate.identity.table, subject: claim.subject), default: 0] += 1
      }
    }
    return candidates.filter { candidate in
      candidate.claims.contains {
        claimants[RowKey(table: candidate.identity.table, subject: $0.subject)]! > 1
      }
    }
  }

  /// Finds out since when rows have had their keys and references, as far as that is not known yet.
  func completeSides(of candidates: [Candidate]) throws {
    var wanted: Set<RowIdentity> = []
    for candidate in candidates where !isComplete(candidate) {
      wanted.insert(candidate.identity)
    }
    guard !wanted.isEmpty else { return }
    guard let histories else { return try completeSidesOfCommit() }
    let found = try histories(wanted)
    for candidate in candidates where wanted.contains(candidate.identity) {
      try complete(candidate, from: found[candidate.identity] ?? RowHistory())
    }
  }

  private func isComplete(_ candidate: Candidate) -> Bool {
    guard !candidate.isComplete else { return true }
    // A write in the meantime may have ended what was known.
    if candidate.isWritten { return false }
    return candidate.subjects.allSatisfy { candidate.sides[$0] != nil }
  }

  private func complete(_ candidate: Candidate, from history: RowHistory) throws {
    let table = schema.tables[candidate.identity.table]
    let versions = history.versions(table, defaults: try defaults(candidate.identity.table))
    candidate.sides.removeAll()
    candidate.isComplete = true
    for claim in candidate.claims {
      let key = constraints.uniqueKeys[candidate.identity.table][claim.key]
      candidate.sides[claim.subject] = try RowHistory.since(versions) { row in
        try constraints.probe.claim(key, of: row, table: candidate.identity.table)?.bytes
      }
    }
    for referred in candidate.referred {
      let reference = constraints.references[candidate.identity.table][referred.reference]
      candidate.sides[referred.subject] = try RowHistory.since(versions) { row in
        try reference.values(row).map { try reference.bytes($0) }
      }
    }
    if candidate.broken != nil {
      candidate.sides[.whole(candidate.identity)] = RowHistory.since(versions) { row in
        var bytes = ByteBuffer()
        for value in row { bytes.append(value) }
        return Array(bytes.bytes)
      }
    }
    for (subject, side) in candidate.sides where side == .earliest {
      candidate.sides[subject] = history.settled[subject.name] ?? side
    }
  }

  /// Completes the sides for a commit, which knows its own rows, and what is recorded about others.
  private func completeSidesOfCommit() throws {
    guard let author else { return }
    for candidate in candidates where candidate.isWritten {
      candidate.isComplete = true
      if undated.contains(candidate.identity) {
        for subject in try newClaims(of: candidate) { candidate.sides[subject] = author }
        continue
      }
      for subject in candidate.subjects where candidate.sides[subject] == nil {
        candidate.sides[subject] = author
      }
    }
  }

  /// Returns what a row has claimed since the current commit, as far as that can be determined without the
  /// logs: for keys that held rows claim, the earlier claimants are recorded.
  private func newClaims(of candidate: Candidate) throws -> [ClaimTable.Subject] {
    let known = try claimTable.subjects(of: candidate.identity)
    return try candidate.claims.map(\.subject).filter { subject in
      try !known.contains(subject)
        && !claimTable.rows(with: RowKey(table: candidate.identity.table, subject: subject)).isEmpty
    }
  }

  func defaults(_ table: Int) throws -> [Value] {
    if let known = defaults[table] { return known }
    let values = try DefaultRow.values(of: schema.tables[table], connection)
    defaults[table] = values
    return values
  }

  /// Returns the referenced row, if the reference names its primary key.
  func parentIdentity(_ reference: Reference, _ values: [Value]) throws -> RowIdentity? {
    guard reference.refersToPrimaryKey, let parent = reference.parent,
      let columns = reference.parentPositions
    else { return nil }
    let table = schema.tables[parent]
    let key = table.shape.keys.compactMap { part in
      columns.firstIndex(of: part.column).map {
        reference.parentAffinities[$0].compared(values[$0])
      }
    }
    return key.count == table.shape.keys.count ? try table.identity(key: key, number: parent) : nil
  }

  // MARK: Deciding

  /// Orders candidates by the tables' names and the keys.
  private func comesBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.identity.table != b.identity.table {
      return constraints.rank[a.identity.table] < constraints.rank[b.identity.table]
    }
    for (mine, other) in zip(a.key, b.key) {
      let order = ColumnPolicy.order(mine, other)
      if order != 0 { return order < 0 }
    }
    return false
  }

  /// Decides about the candidates.
  ///
  /// - Returns: the verdicts, and whether rows wait for each other in a circle.
  func decide() throws -> (verdicts: [Resolution.Verdict], hasCircles: Bool) {
    let order = candidates.indices.sorted { comesBefore(candidates[$0], candidates[$1]) }
    var place = order
    for (rank, position) in order.enumerated() { place[position] = rank }
    var keys: [RowKey: Int] = [:]
    parentIndex.removeAll()
    let rows = try order.map { position -> Resolution.Row in
      let candidate = candidates[position]
      var row = Resolution.Row()
      row.broken = candidate.broken
      for claim in candidate.claims {
        let key = RowKey(table: candidate.identity.table, subject: claim.subject)
        let number = keys[key, default: keys.count]
        keys[key] = number
        row.claims.append(
          Resolution.Claim(key: number, since: candidate.sides[claim.subject] ?? .earliest))
      }
      for referred in candidate.referred {
        if let requirement = try requirement(candidate, referred.reference, referred.values, place)
        {
          row.requirements.append(requirement)
        }
      }
      return row
    }
    let resolution = Resolution(rows)
    // Converts the order of names and keys back to the order of the candidates.
    let verdicts = candidates.indices.map { position -> Resolution.Verdict in
      let verdict = resolution.verdicts[place[position]]
      guard case .claimed(let key, let holder) = verdict else { return verdict }
      return .claimed(key: key, by: order[holder])
    }
    return (verdicts, resolution.hasCircles)
  }

  private func requirement(
    _ candidate: Candidate, _ number: Int, _ values: [Value], _ place: [Int]
  ) throws -> Resolution.Requirement? {
    let reference = constraints.references[candidate.identity.table][number]
    var isMet = try constraints.parentExists(reference, values)
    var parents = try parents(reference, values)
    if case .show(let replacement) = reference.absence {
      if replacement.contains(.null) { return nil }
      isMet = try isMet || constraints.parentExists(reference, replacement)
      parents += try self.parents(reference, replacement)
    }
    return Resolution.Requirement(
      reference: number, isMet: isMet, parents: parents.map { place[$0] })
  }

  /// Returns the candidates to which a reference with these values refers.
  func parents(_ reference: Reference, _ values: [Value]) throws -> [Int] {
    guard let parent = reference.parent, let columns = reference.parentPositions else { return [] }
    let index = ParentKey(table: parent, columns: columns)
    if parentIndex[index] == nil {
      var found: [[UInt8]: [Int]] = [:]
      for (position, candidate) in candidates.enumerated()
      where candidate.identity.table == parent {
        let values = columns.map { candidate.row[$0] }
        if values.contains(.null) { continue }
        found[try reference.bytes(values), default: []].append(position)
      }
      parentIndex[index] = found
    }
    let found = try parentIndex[index]?[reference.bytes(values)] ?? []
    guard found.count > 1 else { return found }
    // They all claim one key.
    let name = constraints.uniqueKeys[parent].first { $0.columns.map(Set.init) == Set(columns) }?
      .name
    func since(_ position: Int) -> Conflict.Side {
      let subject = candidates[position].subjects.first { $0.name == name }
      return subject.flatMap { candidates[position].sides[$0] } ?? .earliest
    }
    return found.sorted { a, b in
      let (mine, other) = (since(a), since(b))
      return mine == other ? comesBefore(candidates[a], candidates[b]) : mine < other
    }
  }
}

struct ParentKey: Hashable {
  var table: Int
  var columns: [Int]
}

extension Candidate {
  var subjects: [ClaimTable.Subject] {
    claims.map(\.subject) + referred.map(\.subject) + (broken == nil ? [] : [.whole(identity)])
  }
}
