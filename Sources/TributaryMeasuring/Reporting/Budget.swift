/// The budget of a figure.
package struct Budget {
  package enum Direction {
    /// Smaller is better.
    case atMost
    /// Larger is better.
    case atLeast

    var sign: String { self == .atMost ? "≤" : "≥" }
  }

  /// The limit that the product must meet; `nil` if there is none.
  package var must: Double?
  /// The goal.
  package var goal: Double?
  package var direction = Direction.atMost

  package init(must: Double?, goal: Double?, direction: Direction = .atMost) {
    self.must = must
    self.goal = goal
    self.direction = direction
  }

  package enum Verdict: String {
    case goal = "goal"
    case must = "must"
    case miss = "MISS"
    case none = ""
  }

  package func verdict(_ measured: Double) -> Verdict {
    if let goal, meets(goal, measured) { return .goal }
    guard let must else { return .none }
    return meets(must, measured) ? .must : .miss
  }

  private func meets(_ limit: Double, _ measured: Double) -> Bool {
    switch direction {
    case .atMost: measured <= limit
    case .atLeast: measured >= limit
    }
  }
}
