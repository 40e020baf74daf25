import Testing
import TributarySimulation
import TributaryTesting

/// Fleets in which something is wrong on purpose: a check that cannot fail is none.
struct SabotageTests {
  /// The rules that each breaks.
  static func rules(_ sabotage: SimulationOptions.Sabotage) -> Set<SimulationFailure.Rule> {
    switch sabotage {
    case .ignoredSynchronization: [.lost, .contents, .complete, .receipt]
    case .lostRow: [.contents]
    case .skippedTransaction: [.complete, .recorded]
    case .foreignWrite, .changedSegment: [.ownFiles]
    case .restlessness: [.quiet]
    case .lostConflict: [.conflicts]
    case .brokenReference: [.constraints]
    case .undeliveredFile: [.lost, .complete]
    // A store that sees its file changed writes it anew, and then is never at rest.
    case .boastfulReceipt: [.receipt, .quiet]
    case .thrownFailure: [.reported]
    }
  }

  @Test(arguments: SimulationOptions.Sabotage.allCases)
  func `what is wrong is found, and by the rule that it breaks`(
    sabotage: SimulationOptions.Sabotage
  ) throws {
    var options = SimulationOptions()
    options.sabotage = sabotage
    // Where identities change less can be said.
    options.hasIdentityFaults = false
    let failure = try firstFailure(options) { SimulationPlan(seed: $0, options: options) }
    #expect(Self.rules(sabotage).contains(failure.rule), "\(failure)")
  }

  /// Without power cuts, it makes no difference what is durable.
  @Test(
    arguments: SimulationOptions.Sabotage.allCases.filter { $0 != .ignoredSynchronization },
    [false, true])
  func `what is wrong is found in histories too, by the same rules`(
    sabotage: SimulationOptions.Sabotage, constrained: Bool
  ) throws {
    // References and conflicts of this kind need constraints.
    if !constrained, [.brokenReference, .lostConflict].contains(sabotage) { return }
    var options = SimulationOptions()
    options.sabotage = sabotage
    let failure = try firstFailure(options) {
      SimulationPlan(historyOf: $0, constrained: constrained)
    }
    // Where foreign keys are declared and not enforced, only the contents are wrong.
    let others: Set<SimulationFailure.Rule> = sabotage == .brokenReference ? [.contents] : []
    #expect(Self.rules(sabotage).union(others).contains(failure.rule), "\(failure)")
  }

  private func firstFailure(
    _ options: SimulationOptions, _ plan: (UInt64) -> SimulationPlan
  ) throws -> SimulationFailure {
    var found: SimulationFailure?
    var seed: UInt64 = 0
    while found == nil, seed < 60 {
      found = try Fleet.run(plan(seed), options).failure
      seed += 1
    }
    return try #require(found, "60 seeds have not found it")
  }

  @Test func `a failed plan is made smaller, and fails by the same rule`() throws {
    var options = SimulationOptions()
    options.sabotage = .lostRow
    let plans = (0..<60).lazy.map { SimulationPlan(seed: $0) }
    let failed = try plans.compactMap { plan in
      try Fleet.run(plan, options).failure.map { (plan, $0) }
    }.first
    let (plan, failure) = try #require(failed)
    let finding = FailedPlan(plan, failure, options)
    #expect(finding.failure.rule == failure.rule)
    #expect(finding.plan.devices.count == 2)
    #expect(finding.plan.steps.count <= 3)
    for step in finding.plan.steps { #expect(finding.description.contains("\(step)")) }
  }

  @Test(arguments: [1, 20, 300] as [UInt64])
  func `a seed means the same each time`(seed: UInt64) throws {
    let plan = SimulationPlan(seed: seed)
    let options = SimulationOptions()
    let first = try Fleet.run(plan, options).simulation
    let second = try Fleet.run(plan, options).simulation
    #expect(first.tally.counts == second.tally.counts)
    // The stores lie in other directories.
    func story(_ simulation: Simulation) -> [String] {
      simulation.trace.map { $0.replacing(#/tributary-[A-Za-z0-9]{6}/#, with: "") }
    }
    #expect(story(first) == story(second))
  }
}
