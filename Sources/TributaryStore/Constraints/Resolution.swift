/// Decides which rows of a group are visible if the constraints do not allow all of them together, by the
/// rules of `docs/merging-constraints.md`, from values alone.
struct Resolution {
  /// A claim of a unique key within the group.
  struct Claim {
    /// The key as a number; equal numbers mean equal keys.
    var key: Int
    var since: Conflict.Side
  }

  /// A binding reference.
  struct Requirement {
    /// The number of the reference, in SQLite's order.
    var reference: Int
    /// Whether a parent outside the group is visible.
    var isMet: Bool
    /// The rows of the group that are parents: those with earlier claims first, and after them the
    /// row that a default refers to.
    var parents: [Int]
  }

  /// A row of the group. Ties are broken by the order in which rows are given, which is by table names and
  /// keys.
  struct Row {
    var claims: [Claim] = []
    var requirements: [Requirement] = []
    /// The constraint that does not allow the row, whatever other rows there are.
    var broken: Conflict.Kind?
  }

  enum Verdict: Equatable {
    case undecided
    case visible
    /// The row breaks a constraint of that kind because of its own values.
    case broken(Conflict.Kind)
    /// The row at that position has the key.
    case claimed(key: Int, by: Int)
    /// That reference has no visible parent.
    case orphaned(reference: Int)
    /// The row blocked rows to which it refers, and nothing else blocks it any more.
    case circled

    var isHeld: Bool { self != .undecided && self != .visible }
  }

  private let rows: [Row]
  /// The contests, by key.
  private var contests: [Contest]
  /// For each row, the rows that have it among their parents.
  private var children: [[Int]]
  private(set) var verdicts: [Verdict]
  /// Whether there were rows that wait for each other in a circle.
  private(set) var hasCircles = false

  /// The rows that claim one key.
  private struct Contest {
    /// The claimants, with the first claim first.
    var claimants: [(row: Int, since: Conflict.Side)] = []
    /// The number of first claimants that are held.
    var heldCount = 0
    var undecidedCount = 0
    /// The visible claimant.
    var holder: Int?
  }

  init(_ rows: [Row]) {
    self.rows = rows
    verdicts = Array(repeating: .undecided, count: rows.count)
    children = Array(repeating: [], count: rows.count)
    let count = rows.reduce(0) { max($0, ($1.claims.map(\.key).max() ?? -1) + 1) }
    contests = Array(repeating: Contest(), count: count)
    for (number, row) in rows.enumerated() {
      for claim in row.claims { contests[claim.key].claimants.append((number, claim.since)) }
      for parent in Set(row.requirements.flatMap(\.parents)) { children[parent].append(number) }
    }
    for key in contests.indices {
      contests[key].claimants.sort { ($0.since, $0.row) < ($1.since, $1.row) }
      contests[key].undecidedCount = contests[key].claimants.count
    }
    decide()
  }

  /// Decides about all rows.
  ///
  /// - Complexity: O(claims and references), except for circles, each of which examines all rows
  ///   that are still undecided.
  private mutating func decide() {
    var open = Array(rows.indices.reversed())
    while true {
      while let row = open.popLast() {
        guard verdicts[row] == .undecided else { continue }
        if let verdict = holding(row) {
          decide(row, verdict, &open)
        } else if comesFirst(row) {
          decide(row, .visible, &open)
        }
      }
      let undecided = rows.indices.filter { verdicts[$0] == .undecided }
      if undecided.isEmpty { break }
      hasCircles = true
      breakCircle(undecided, &open)
    }
    for row in rows.indices where verdicts[row].isHeld { verdicts[row] = reason(row) }
  }

  /// Records a decision, and the rows that may be decided next.
  private mutating func decide(_ row: Int, _ verdict: Verdict, _ open: inout [Int]) {
    verdicts[row] = verdict
    open += children[row]
    for claim in rows[row].claims {
      contests[claim.key].undecidedCount -= 1
      if verdict == .visible {
        contests[claim.key].holder = row
        open += contests[claim.key].claimants.map(\.row)
      } else if let next = next(claim.key) {
        open.append(next)
      }
    }
  }

  /// Returns the first claimant of a key that is not held.
  private mutating func next(_ key: Int) -> Int? {
    while contests[key].heldCount < contests[key].claimants.count {
      let row = contests[key].claimants[contests[key].heldCount].row
      if !verdicts[row].isHeld { return row }
      contests[key].heldCount += 1
    }
    return nil
  }

  /// Returns the visible row that has a key.
  private func holder(_ claim: Claim, otherThan row: Int) -> Int? {
    contests[claim.key].holder.flatMap { $0 == row ? nil : $0 }
  }

  /// Returns why a row is held, after all decisions. Its own values take precedence over a reference, a
  /// reference over a key, and the first of several over the others.
  private func reason(_ row: Int) -> Verdict {
    if let kind = rows[row].broken { return .broken(kind) }
    if let requirement = rows[row].requirements.first(where: { !isMet($0) }) {
      return .orphaned(reference: requirement.reference)
    }
    for claim in rows[row].claims {
      if let holder = holder(claim, otherThan: row) { return .claimed(key: claim.key, by: holder) }
    }
    return .circled
  }

  private func isMet(_ requirement: Requirement) -> Bool {
    requirement.isMet || requirement.parents.contains { verdicts[$0] == .visible }
  }

  /// Rule 1.
  private func holding(_ row: Int) -> Verdict? {
    if let kind = rows[row].broken { return .broken(kind) }
    for requirement in rows[row].requirements
    where !requirement.isMet && requirement.parents.allSatisfy({ verdicts[$0].isHeld }) {
      return .orphaned(reference: requirement.reference)
    }
    for claim in rows[row].claims {
      if let holder = holder(claim, otherThan: row) { return .claimed(key: claim.key, by: holder) }
    }
    return nil
  }

  /// Rule 2.
  private mutating func comesFirst(_ row: Int) -> Bool {
    // Nothing but itself can block a row that needs itself and has no rival.
    let isAlone = rows[row].claims.allSatisfy { contests[$0.key].claimants.count == 1 }
    guard
      rows[row].requirements.allSatisfy({ isMet($0) || isAlone && $0.parents.contains(row) })
    else { return false }
    for claim in rows[row].claims where next(claim.key) != row { return false }
    return true
  }

  private func claimOneKey(_ group: Set<Int>) -> Bool {
    var claimed: Set<Int> = []
    return group.contains { row in
      rows[row].claims.contains { !claimed.insert($0.key).inserted }
    }
  }

  /// Returns since when a row has claimed a key that another undecided row claims too.
  private func earliestRivalry(_ row: Int) -> Conflict.Side? {
    rows[row].claims.filter { contests[$0.key].undecidedCount > 1 }.map(\.since).min()
  }

  /// Rule 3.
  private mutating func breakCircle(_ undecided: [Int], _ open: inout [Int]) {
    let rivals = undecided.compactMap { row in earliestRivalry(row).map { ($0, row) } }
    guard let first = rivals.min(by: <)?.1 else {
      for row in undecided { decide(row, .visible, &open) }
      return
    }
    var group: Set<Int> = [first]
    var needed = [first]
    while let row = needed.popLast() {
      for requirement in rows[row].requirements where !isMet(requirement) {
        if let parent = requirement.parents.first(where: { verdicts[$0] == .undecided }),
          group.insert(parent).inserted
        {
          needed.append(parent)
        }
      }
    }
    if claimOneKey(group) {
      decide(first, .circled, &open)
    } else {
      for row in group { decide(row, .visible, &open) }
    }
  }
}

extension Conflict.Side: Comparable {
  /// Orders transactions by stamp.
  public static func < (a: Conflict.Side, b: Conflict.Side) -> Bool {
    (a.time, a.peer) < (b.time, b.peer)
  }
}
