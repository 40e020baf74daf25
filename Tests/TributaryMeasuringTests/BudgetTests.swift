import Testing
import TributaryMeasuring

struct BudgetTests {
  @Test(arguments: [(0.9, "goal"), (1.0, "goal"), (1.1, "must"), (1.5, "must"), (1.6, "MISS")])
  func `a ratio is better the smaller it is`(measured: Double, verdict: String) {
    #expect(Budget(must: 1.5, goal: 1).verdict(measured).rawValue == verdict)
  }

  @Test(arguments: [(2.1, "goal"), (2.0, "goal"), (1.9, "must"), (0.5, "must"), (0.4, "MISS")])
  func `a speed is better the larger it is`(measured: Double, verdict: String) {
    #expect(Budget(must: 0.5, goal: 2, direction: .atLeast).verdict(measured).rawValue == verdict)
  }

  @Test func `what nothing is promised of is no miss`() {
    #expect(Budget(must: nil, goal: 1).verdict(2) == .none)
  }
}
