/// Which rows of a group are visible where the constraints do not allow all of them together: the
/// rules of `docs/merging.md`, on values alone.
struct Resolution {
  /// A claim of a unique key within the group.
  struct Claim {
    /// Equal numbers are equal keys.
    var key: Int
    var since: Conflict.Side
  }

  /// A reference that binds.
  struct Requirement {
    /// Which reference, in the order of SQLite.
    var reference: Int
    /// A parent outside of the group is visible.
    var isMet: Bool
    /// Rows of the group that are parents; those with earlier claims first, and after them what a
    /// default refers to.
    var parents: [Int]
  }

  /// A row of the group; equals are decided by the order in which the rows are given: by the tables'
  /// names and keys.
  struct Row {
    var claims: [Claim] = []
    var requirements: [Requirement] = []
  }

  enum Verdict: Equatable {
    case undecided
    case visible
    /// The row at that position has the key.
    case claimed(key: Int, by: Int)
    /// That reference has no visible parent.
    case orphaned(reference: Int)
    /// It was in the way of rows that it refers to, and nothing else is in its way any more.
    case circled

    var isHeld: Bool { self != .undecided && self != .visible }
  }

  private let rows: [Row]
  private var claimants: [Int: [(row: Int, since: Conflict.Side)]] = [:]
  private(set) var verdicts: [Verdict]

  init(_ rows: [Row]) {
    self.rows = rows
    verdicts = Array(repeating: .undecided, count: rows.count)
    for (number, row) in rows.enumerated() {
      for claim in row.claims { claimants[claim.key, default: []].append((number, claim.since)) }
    }
    decide()
  }

  private mutating func decide() {
    var undecided = Array(rows.indices)
    while !undecided.isEmpty {
      let before = undecided.count
      for row in undecided where verdicts[row] == .undecided { hold(row) }
      for row in undecided where verdicts[row] == .undecided && comesFirst(row) {
        verdicts[row] = .visible
      }
      undecided.removeAll { verdicts[$0] != .undecided }
      if undecided.count == before { breakCircle(undecided) }
    }
    for row in rows.indices where verdicts[row].isHeld { verdicts[row] = reason(row) }
  }

  /// Why a row is held, when all is decided: a reference is named before a key, and of several the
  /// first.
  private func reason(_ row: Int) -> Verdict {
    if let requirement = rows[row].requirements.first(where: { !isMet($0) }) {
      return .orphaned(reference: requirement.reference)
    }
    for claim in rows[row].claims {
      if let holder = claimants[claim.key]?.first(where: { verdicts[$0.row] == .visible }) {
        return .claimed(key: claim.key, by: holder.row)
      }
    }
    return .circled
  }

  private func isMet(_ requirement: Requirement) -> Bool {
    requirement.isMet || requirement.parents.contains { verdicts[$0] == .visible }
  }

  /// Rule 1.
  private mutating func hold(_ row: Int) {
    for requirement in rows[row].requirements
    where !requirement.isMet && requirement.parents.allSatisfy({ verdicts[$0].isHeld }) {
      verdicts[row] = .orphaned(reference: requirement.reference)
      return
    }
    for claim in rows[row].claims {
      if let holder = claimants[claim.key]?.first(where: { verdicts[$0.row] == .visible }) {
        verdicts[row] = .claimed(key: claim.key, by: holder.row)
        return
      }
    }
  }

  /// Rule 2.
  private func comesFirst(_ row: Int) -> Bool {
    rows[row].requirements.allSatisfy(isMet)
      && rows[row].claims.allSatisfy { claim in
        claimants[claim.key, default: []].allSatisfy { other in
          other.row == row || verdicts[other.row].isHeld
            || (claim.since, row) < (other.since, other.row) && verdicts[other.row] != .visible
        }
      }
  }

  private func claimOneKey(_ group: Set<Int>) -> Bool {
    var claimed: Set<Int> = []
    return group.contains { row in
      rows[row].claims.contains { !claimed.insert($0.key).inserted }
    }
  }

  /// Since when a row claims a key that another undecided row claims too.
  private func earliestRivalry(_ row: Int) -> Conflict.Side? {
    rows[row].claims.filter { claim in
      claimants[claim.key, default: []].contains {
        $0.row != row && verdicts[$0.row] == .undecided
      }
    }.map(\.since).min()
  }

  /// Rule 3.
  private mutating func breakCircle(_ undecided: [Int]) {
    let rivals = undecided.compactMap { row in earliestRivalry(row).map { ($0, row) } }
    guard let first = rivals.min(by: <)?.1 else {
      for row in undecided { verdicts[row] = .visible }
      return
    }
    var group: Set<Int> = [first]
    var open = [first]
    while let row = open.popLast() {
      for requirement in rows[row].requirements where !isMet(requirement) {
        if let parent = requirement.parents.first(where: { verdicts[$0] == .undecided }),
          group.insert(parent).inserted
        {
          open.append(parent)
        }
      }
    }
    if claimOneKey(group) {
      verdicts[first] = .circled
    } else {
      for row in group { verdicts[row] = .visible }
    }
  }
}

extension Conflict.Side: Comparable {
  /// By stamp.
  public static func < (a: Conflict.Side, b: Conflict.Side) -> Bool {
    (a.time, a.peer) < (b.time, b.peer)
  }
}
