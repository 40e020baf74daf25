internal import TributaryTesting

/// Runs plans, each in a separate directory.
package enum Fleet {
  /// - Returns: the simulation, whose directory is gone.
  /// - Throws: what failed, with the shortest list of steps found to reproduce it.
  @discardableResult
  package static func live(
    _ plan: SimulationPlan, options: SimulationOptions = SimulationOptions()
  ) throws -> Simulation {
    let (failure, simulation) = try run(plan, options)
    guard let failure else { return simulation }
    throw FailedPlan(plan, failure, options)
  }

  /// Returns the failure of a plan; `nil` if it succeeds.
  ///
  /// - Parameter body: called with a simulation that has succeeded, and its directory.
  package static func run(
    _ plan: SimulationPlan, _ options: SimulationOptions = SimulationOptions(),
    then body: (Simulation, String) throws -> Void = { _, _ in }
  ) throws -> (failure: SimulationFailure?, simulation: Simulation) {
    try withTemporaryDirectory { directory in
      let simulation = Simulation(plan, options: options, in: directory)
      let failure = simulation.failure()
      if failure == nil { try body(simulation, directory) }
      return (failure, simulation)
    }
  }
}
