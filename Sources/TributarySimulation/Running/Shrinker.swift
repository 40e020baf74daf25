internal import TributaryTesting

/// Makes a failing plan smaller while it still breaks the same rule.
package struct Shrinker {
  /// Runs a plan; returns `nil` if it succeeds.
  private let run: (SimulationPlan) -> SimulationFailure?
  private let rule: SimulationFailure.Rule
  private(set) package var plan: SimulationPlan
  private(set) package var failure: SimulationFailure
  /// The number of plans that may still be tried.
  private var budget: Int

  /// Makes a shrinker.
  ///
  /// - Parameters:
  ///   - plan: a plan that fails.
  ///   - budget: the number of plans to try.
  package init(
    _ plan: SimulationPlan, failure: SimulationFailure, budget: Int = 400,
    run: @escaping (SimulationPlan) -> SimulationFailure?
  ) {
    self.plan = plan
    self.failure = failure
    self.budget = budget
    self.run = run
    rule = failure.rule
  }

  /// Leaves out steps and devices, and simplifies the remaining steps, until nothing more can be done without
  /// losing the failure.
  package mutating func shrink() {
    var goesOn = true
    while goesOn, budget > 0 {
      goesOn = removeDevices()
      goesOn = removeSteps() || goesOn
      goesOn = simplifySteps() || goesOn
    }
  }

  private mutating func take(_ smaller: SimulationPlan) -> Bool {
    guard budget > 0 else { return false }
    budget -= 1
    guard let failure = run(smaller), failure.rule == rule else { return false }
    plan = smaller
    self.failure = failure
    return true
  }

  private mutating func removeDevices() -> Bool {
    var hasChanged = false
    for device in plan.devices.reversed() where plan.devices.count > 1 {
      var smaller = plan
      smaller.devices.removeAll { $0.number == device.number }
      smaller.steps.removeAll { $0.device == device.number }
      hasChanged = take(smaller) || hasChanged
    }
    return hasChanged
  }

  /// Removes half of the steps, a quarter, and so on down to single steps.
  private mutating func removeSteps() -> Bool {
    var hasChanged = false
    var size = max(1, plan.steps.count / 2)
    while true {
      // From the end, because later steps depend on earlier ones.
      var end = plan.steps.count
      while end > 0 {
        let start = max(0, end - size)
        var smaller = plan
        smaller.steps.removeSubrange(start..<end)
        hasChanged = take(smaller) || hasChanged
        end = start
      }
      if size == 1 { return hasChanged }
      size /= 2
    }
  }

  private mutating func simplifySteps() -> Bool {
    var hasChanged = false
    for index in plan.steps.indices {
      for action in plan.steps[index].action.simpler {
        var smaller = plan
        smaller.steps[index].action = action
        if take(smaller) {
          hasChanged = true
          break
        }
      }
    }
    return hasChanged
  }
}

extension SimulationStep.Action {
  /// The variants that do a little less, the simplest first.
  fileprivate var simpler: [Self] {
    switch self {
    case .write(let count) where count > 1: [.write(1), .write(count - 1)]
    case .synchronize(let faults) where !faults.isEmpty:
      [.synchronize([])]
        + (faults.count > 1 ? faults.indices.map { .synchronize([faults[$0]]) } : [])
    case .carry(let patience, let care):
      patience > 1 || care != nil
        ? [.carry(patience: 1, care: nil), .carry(patience: patience, care: nil)].filter {
          if case .carry(patience, care) = $0 { false } else { true }
        } : []
    case .powerCut: [.kill]
    default: []
    }
  }
}
