import Testing
import TributaryCommand

struct ProgressEstimateTests {
  private let second: UInt64 = 1_000_000_000

  @Test(arguments: [
    (0.5, 50, 1000, "importing 5 %"),
    (2.0, 50, 1000, "importing 5 %, 25/s, 39 s left"),
    (2.0, 3, 1000, "importing 0 %, 1.5/s, 11 min left"),
    (2.0, 3, 1_000_000, "importing 0 %, 1.5/s, 185 h left"),
    (4.0, 1000, 1000, "importing 100 %, 250/s"),
    (4.0, 1200, 1000, "importing 100 %, 300/s"),
    (2.0, 0, 1000, "importing 0 %"),
    (0.5, 50, nil, "importing 50"),
    (2.0, 50, nil, "importing 50, 25/s"),
    (2.0, 50, 0, "importing 50, 25/s"),
  ])
  func `it tells share, rate and what is left, as far as they are known`(
    time: Double, done: Int, total: Int?, text: String
  ) {
    let estimate = ProgressEstimate(stage: "importing", done: 0, nanoseconds: second)
    let now = second + UInt64(time * 1e9)
    #expect(estimate.text(done: done, total: total, nanoseconds: now) == text)
  }

  @Test func `what was done before it began does not count for the rate`() {
    let estimate = ProgressEstimate(stage: "importing", done: 900, nanoseconds: 0)
    #expect(
      estimate.text(done: 950, total: 1000, nanoseconds: 5 * second)
        == "importing 95 %, 10/s, 6 s left")
  }

  @Test func `a clock that has not moved gives no rate`() {
    let estimate = ProgressEstimate(stage: "importing", done: 0, nanoseconds: second)
    #expect(estimate.text(done: 5, total: 10, nanoseconds: 0) == "importing 50 %")
  }
}
