/// Which claims wait for which, at one moment.
struct ClaimGraph {
  private let claims: [Claim]
  /// For each claim, the others with which it conflicts.
  private let conflicts: [[Int]]
  /// The presenters that a claim is asking.
  private var asked: [UInt64: Set<UInt64>] = [:]

  /// - Parameter conflicts: the conflicts in the table, if they are known.
  init(_ table: CoordinationTable, conflicts: [[Int]]? = nil) {
    claims = table.claims
    self.conflicts = conflicts ?? Self.conflicts(claims)
    for message in table.messages where message.kind.needsAnswer {
      asked[message.claim, default: []].insert(message.presenter)
    }
  }

  /// Returns the claims that a waiting claim must wait for.
  func blockers(of index: Int) -> [Int] {
    let claim = claims[index]
    return conflicts[index].filter { other in
      let blocker = claims[other]
      if isExcused(claim, from: blocker) { return false }
      if blocker.isHeld { return true }
      guard blocker.number < claim.number else { return false }
      // First come, first served; but a claim that waits for a claim that this one is part of cannot come
      // first.
      return claim.under.isEmpty || !waits(other, forAnyOf: Set(claim.under))
    }
  }

  /// Returns the claims that keep a claim that is asking presenters from being granted: those that have
  /// passed it because a presenter is saving.
  func holders(besides index: Int) -> [Int] {
    let claim = claims[index]
    return conflicts[index].filter {
      let other = claims[$0]
      return (other.phase == .granted || other.phase == .asking && other.turn > claim.turn)
        && !isExcused(claim, from: other)
    }
  }

  /// Returns the claims that wait for each other in a circle that contains the given one.
  ///
  /// - Returns: `nil` if it is in no circle.
  func circle(from start: Int) -> [Int]? {
    // A claim within others ends before they do, so a claim that waits for them waits for it.
    let targets = Set(claims[start].under + [claims[start].number])
    var seen: Set<Int> = [start]
    func search(_ index: Int, _ path: [Int]) -> [Int]? {
      for next in waitsDirectly(index) {
        if targets.contains(claims[next].number) { return path + [next] }
        guard seen.insert(next).inserted else { continue }
        if let found = search(next, path + [next]) { return found }
      }
      return nil
    }
    return search(start, [])
  }

  private func waitsDirectly(_ index: Int) -> [Int] {
    if claims[index].phase == .waiting { return blockers(of: index) }
    // A held claim ends after the claims within it.
    let number = claims[index].number
    let within = claims.indices.filter {
      claims[$0].phase == .waiting && claims[$0].under.contains(number)
    }
    return claims[index].phase == .asking ? within + holders(besides: index) : within
  }

  private func isExcused(_ claim: Claim, from blocker: Claim) -> Bool {
    // It is part of the blocker, for the same purpose.
    if blocker.purpose == claim.purpose && claim.under.contains(blocker.number) { return true }
    // A presenter that is being asked to relinquish an item may save first.
    return claim.presenter != 0 && blocker.phase == .asking
      && asked[blocker.number]?.contains(claim.presenter) == true
  }

  private func waits(_ start: Int, forAnyOf targets: Set<UInt64>) -> Bool {
    var seen: Set<Int> = [start]
    var open = [start]
    while let index = open.popLast() {
      let claim = claims[index]
      let next =
        claim.isHeld
        ? claims.indices.filter {
          claims[$0].phase == .waiting && claims[$0].under.contains(claim.number)
        } : conflicts[index].filter { claims[$0].isHeld || claims[$0].number < claim.number }
      for other in next {
        if targets.contains(claims[other].number) { return true }
        if seen.insert(other).inserted { open.append(other) }
      }
    }
    return false
  }

  /// Returns, for each claim, the others with which it conflicts.
  ///
  /// - Complexity: O(*n* · depth of the paths), besides the conflicts found.
  static func conflicts(_ claims: [Claim]) -> [[Int]] {
    var at: [Substring: [Int]] = [:]
    var atOrBelow: [Substring: [Int]] = [:]
    for (index, claim) in claims.enumerated() {
      for item in claim.items {
        at[item.path[...], default: []].append(index)
        for path in item.path.withAncestors { atOrBelow[path, default: []].append(index) }
      }
    }
    return claims.enumerated().map { index, claim in
      var related: Set<Int> = []
      for item in claim.items {
        related.formUnion(atOrBelow[item.path[...]] ?? [])
        for path in item.path.withAncestors { related.formUnion(at[path] ?? []) }
      }
      related.remove(index)
      return related.filter { claim.conflicts(with: claims[$0]) }.sorted()
    }
  }
}

extension String {
  /// This absolute path and those of all directories above it.
  fileprivate var withAncestors: [Substring] {
    var paths = [self[...]]
    while let slash = paths.last!.utf8.lastIndex(of: UInt8(ascii: "/")), paths.last!.utf8.count > 1
    {
      paths.append(slash == startIndex ? self[...slash] : self[..<slash])
    }
    return paths
  }
}
