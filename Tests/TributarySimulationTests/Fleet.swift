import Foundation
import TributaryTesting

/// Runs plans, each in a directory of its own.
enum Fleet {
  /// - Throws: what failed, with the shortest list of steps that it was found to need.
  static func live(
    _ plan: SimulationPlan, options: SimulationOptions = SimulationOptions()
  ) throws {
    let (failure, simulation) = try run(plan, options)
    FaultTally.add(simulation.tally)
    guard let failure else { return }
    throw Finding(plan, failure, options)
  }

  /// What a plan comes to; `nil` when all is well.
  static func run(
    _ plan: SimulationPlan, _ options: SimulationOptions
  ) throws -> (failure: SimulationFailure?, simulation: Simulation) {
    try withTemporaryDirectory { directory in
      let simulation = Simulation(plan, options: options, in: directory)
      return (simulation.failure(), simulation)
    }
  }
}

/// A failed plan, made smaller.
struct Finding: Error, CustomStringConvertible {
  let plan: SimulationPlan
  let failure: SimulationFailure
  let trace: [String]

  init(
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

  var description: String {
    """
    \(failure)
    after these steps of \(plan.devices.count) devices:
    \(plan.steps.map { "  \($0)" }.joined(separator: "\n"))
    which did:
    \(trace.joined(separator: "\n"))
    """
  }
}
