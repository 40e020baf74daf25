import TributaryCore
import TributaryLog

/// The records of rows that are held or show other values than those they refer to.
struct ConflictRecords {
  private let resolver: Resolver
  private let verdicts: [Resolution.Verdict]
  private let hidden: [[Resolver.HiddenReference]]
  /// For each candidate, what keeps a referenced row out of its table.
  private var winners: [Int: Winner] = [:]

  private struct Winner {
    var side: Conflict.Side?
    /// Whether the winner is one that only the logs know.
    var isLacking = false
  }

  init(
    _ resolver: Resolver, _ verdicts: [Resolution.Verdict],
    _ hidden: [[Resolver.HiddenReference]]
  ) {
    self.resolver = resolver
    self.verdicts = verdicts
    self.hidden = hidden
  }

  mutating func conflicts(of position: Int) throws -> [Conflict] {
    let candidate = resolver.candidates[position]
    switch verdicts[position] {
    case .undecided: return []
    case .visible:
      var conflicts: [Conflict] = []
      for hidden in hidden[position] {
        conflicts.append(
          try conflict(
            position, .foreignKey, isHeld: false, hidden.cells,
            sides(position, reference: hidden.reference)))
      }
      return conflicts
    case .broken, .orphaned, .claimed, .circled:
      let table = resolver.schema.tables[candidate.identity.table]
      let cells = zip(table.shape.columns, candidate.row).map {
        Conflict.Cell(column: $0, value: $1)
      }
      let kind: Conflict.Kind =
        switch verdicts[position] {
        case .broken(let kind): kind
        case .orphaned: .foreignKey
        default: .unique
        }
      return [try conflict(position, kind, isHeld: true, cells, sides(position))]
    }
  }

  private func conflict(
    _ position: Int, _ kind: Conflict.Kind, isHeld: Bool, _ cells: [Conflict.Cell],
    _ sides: (winner: Conflict.Side, loser: Conflict.Side)
  ) throws -> Conflict {
    let candidate = resolver.candidates[position]
    let table = resolver.schema.tables[candidate.identity.table]
    let (winner, loser) = kind.sides(
      winner: sides.winner, loser: sides.loser, settledBeneath: try resolver.horizon())
    return Conflict(
      id: Conflict.identifier(
        table: table.lastingName, key: candidate.identity.key, kind: kind, loser: loser,
        columns: isHeld ? [] : cells.map(\.column)),
      table: table.name, key: table.key(of: candidate.row), kind: kind, isHeld: isHeld,
      values: cells, winner: winner, loser: loser)
  }

  private mutating func sides(_ position: Int) throws -> (
    winner: Conflict.Side, loser: Conflict.Side
  ) {
    let candidate = resolver.candidates[position]
    switch verdicts[position] {
    case .broken:
      let since = candidate.sides[.whole(candidate.identity)] ?? .earliest
      return (since, since)
    case .orphaned(let reference): return try sides(position, reference: reference)
    case .claimed(_, let holder):
      let other = resolver.candidates[holder]
      let shared = candidate.claims.first { claim in
        other.claims.contains { $0.subject == claim.subject }
      }
      let loser = shared.flatMap { candidate.sides[$0.subject] } ?? .earliest
      return (shared.flatMap { other.sides[$0.subject] } ?? loser, loser)
    case .circled:
      let first = candidate.subjects.first.flatMap { candidate.sides[$0] } ?? .earliest
      return (first, first)
    case .undecided, .visible: return (.earliest, .earliest)
    }
  }

  private mutating func sides(
    _ position: Int, reference number: Int
  ) throws -> (winner: Conflict.Side, loser: Conflict.Side) {
    let candidate = resolver.candidates[position]
    let referred = candidate.referred.first { $0.reference == number }
    let loser = referred.flatMap { candidate.sides[$0.subject] } ?? .earliest
    return (try winner(position, reference: number) ?? loser, loser)
  }

  /// Returns what removed the parent or keeps it out of its table; `nil` if the logs do not say, or if the
  /// search leads in a circle.
  private mutating func winner(_ position: Int, reference number: Int) throws -> Conflict.Side? {
    // Held parents, one after another, all with the same winner.
    var passed: [Int] = []
    var met: Set<Int> = [position]
    var next = (position: position, reference: number)
    var winner = Winner()
    while true {
      guard
        let parent = try self.parent(next.position, reference: next.reference, &winner)
      else { break }
      if !met.insert(parent).inserted { break }
      if let known = winners[parent] {
        winner = known
        break
      }
      guard case .orphaned(let reference) = verdicts[parent] else {
        winner.side = try sides(parent).winner
        break
      }
      passed.append(parent)
      next = (parent, reference)
    }
    for parent in passed { winners[parent] = winner }
    if winner.isLacking { resolver.lacksDeletion = true }
    return winner.side
  }

  /// Returns the row to which a reference refers, if it lives.
  ///
  /// - Parameter winner: set to the deletion if the row does not live.
  private func parent(
    _ position: Int, reference number: Int, _ winner: inout Winner
  ) throws -> Int? {
    let candidate = resolver.candidates[position]
    guard let referred = candidate.referred.first(where: { $0.reference == number }) else {
      return nil
    }
    let reference = resolver.constraints.references[candidate.identity.table][number]
    if let parent = try resolver.parents(reference, referred.values).first { return parent }
    guard let absent = try resolver.parentIdentity(reference, referred.values) else { return nil }
    winner.side = resolver.deletions[absent]
    winner.isLacking = resolver.histories == nil && winner.side == nil
    return nil
  }
}

extension Conflict {
  /// Returns 16 hexadecimal digits that distinguish a conflict from all others.
  ///
  /// - Parameter table: the lasting name of the table.
  /// - Parameter key: the key, in the spelling that all equal keys share.
  /// - Parameter columns: the columns of a reference that shows other values.
  package static func identifier(
    table: String, key: [UInt8], kind: Kind, loser: Side, columns: [String] = []
  ) -> String {
    var text = ByteBuffer()
    text.append(Value.string(SQLName(table).folded))
    text.append(Value.blob(key))
    text.append(Value.string(kind.rawValue))
    for value in Stamp(time: loser.time, peer: loser.peer).mark { text.append(value) }
    for column in columns { text.append(Value.string(SQLName(column).folded)) }
    var hash = SegmentHash()
    hash.update(text.bytes)
    return String(hash.finish().lowerHex)
  }
}
