import TributaryCore
import TributaryLog

/// What is written down of rows that are held or show something else than they refer to.
struct ConflictRecords {
  private let resolver: Resolver
  private let verdicts: [Resolution.Verdict]
  private let hidden: [[Resolver.HiddenReference]]

  init(
    _ resolver: Resolver, _ verdicts: [Resolution.Verdict],
    _ hidden: [[Resolver.HiddenReference]]
  ) {
    self.resolver = resolver
    self.verdicts = verdicts
    self.hidden = hidden
  }

  func conflicts(of position: Int) throws -> [Conflict] {
    let candidate = resolver.candidates[position]
    switch verdicts[position] {
    case .undecided: return []
    case .visible:
      return try hidden[position].map { hidden in
        try conflict(
          position, .foreignKey, isHeld: false, hidden.cells,
          try sides(position, reference: hidden.reference))
      }
    case .orphaned, .claimed, .circled:
      let table = resolver.schema.tables[candidate.identity.table]
      let cells = zip(table.shape.columns, candidate.row).map {
        Conflict.Cell(column: $0, value: $1)
      }
      var kind = Conflict.Kind.unique
      if case .orphaned = verdicts[position] { kind = .foreignKey }
      return [try conflict(position, kind, isHeld: true, cells, sides(position))]
    }
  }

  private func conflict(
    _ position: Int, _ kind: Conflict.Kind, isHeld: Bool, _ cells: [Conflict.Cell],
    _ sides: (winner: Conflict.Side, loser: Conflict.Side)
  ) throws -> Conflict {
    let candidate = resolver.candidates[position]
    let table = resolver.schema.tables[candidate.identity.table]
    return Conflict(
      id: Conflict.identifier(
        table: table.name, key: candidate.identity.key, kind: kind, loser: sides.loser,
        columns: isHeld ? [] : cells.map(\.column)),
      table: table.name, key: table.key(of: candidate.row), kind: kind, isHeld: isHeld,
      values: cells, winner: sides.winner, loser: sides.loser)
  }

  private func sides(_ position: Int) throws -> (winner: Conflict.Side, loser: Conflict.Side) {
    let candidate = resolver.candidates[position]
    switch verdicts[position] {
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

  private func sides(
    _ position: Int, reference number: Int
  ) throws -> (winner: Conflict.Side, loser: Conflict.Side) {
    let candidate = resolver.candidates[position]
    let referred = candidate.referred.first { $0.reference == number }
    let loser = referred.flatMap { candidate.sides[$0.subject] } ?? .earliest
    return (try winner(position, reference: number, asked: []) ?? loser, loser)
  }

  /// What took the parent away, or keeps it out of its table; `nil` where the logs do not tell, or
  /// where that leads in a circle.
  private func winner(
    _ position: Int, reference number: Int, asked: Set<Int>
  ) throws -> Conflict.Side? {
    let candidate = resolver.candidates[position]
    guard let referred = candidate.referred.first(where: { $0.reference == number }) else {
      return nil
    }
    let reference = resolver.constraints.references[candidate.identity.table][number]
    guard let parent = try resolver.parents(reference, referred.values).first else {
      guard let absent = try resolver.parentIdentity(candidate, number, referred.values) else {
        return nil
      }
      if resolver.histories == nil, resolver.deletions[absent] == nil {
        resolver.lacksDeletion = true
      }
      return resolver.deletions[absent]
    }
    let asked = asked.union([position])
    if asked.contains(parent) { return nil }
    guard case .orphaned(let next) = verdicts[parent] else { return try sides(parent).winner }
    return try winner(parent, reference: next, asked: asked)
  }
}

extension Conflict {
  /// 16 hexadecimal digits that tell a conflict from all others.
  ///
  /// - Parameter key: in the spelling that all equal keys share.
  /// - Parameter columns: for a reference that shows something else, its columns.
  public static func identifier(
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
