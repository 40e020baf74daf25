internal import TributaryTesting

/// A failed plan after shrinking.
package struct FailedPlan: Error, CustomStringConvertible {
  package let plan: SimulationPlan
  package let failure: SimulationFailure
  let trace: [String]

  package init(
    _ plan: SimulationPlan, _ failure: SimulationFailure, _ options: SimulationOptions
  ) {
    var shrinker = Shrinker(plan, failure: failure) { plan in
      // A directory that cannot be made says nothing about the plan.
      (try? Fleet.run(plan, options))?.failure
    }
    shrinker.shrink()
    self.plan = shrinker.plan
    self.failure = shrinker.failure
    trace = (try? Fleet.run(shrinker.plan, options))?.simulation.trace ?? []
  }

  package var description: String {
    """
    \(failure)
    after these steps of \(plan.devices.count) devices:
    \(plan.steps.map { "  \($0)" }.joined(separator: "\n"))
    which did:
    \(trace.joined(separator: "\n"))
    """
  }
}
