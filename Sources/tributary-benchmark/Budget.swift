/// What a figure is held to; smaller is better.
struct Budget {
  /// What the product meets; `nil` where nothing is promised.
  var must: Double?
  /// Where it should go.
  var goal: Double?

  enum Verdict: String {
    case goal = "goal"
    case must = "must"
    case miss = "MISS"
    case none = ""
  }

  func verdict(_ measured: Double) -> Verdict {
    if let goal, measured <= goal { return .goal }
    guard let must else { return .none }
    return measured <= must ? .must : .miss
  }
}
