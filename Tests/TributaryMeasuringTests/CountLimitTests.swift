import Testing
import TributaryMeasuring

struct CountLimitTests {
  private static let text = """
    {"limits": [{"figure": "a", "limit": 2, "why": "Two."},
      {"figure": "b", "limit": 0.5, "why": "Half."}]}
    """

  private func findings(_ figures: CountedFigure...) throws -> [String] {
    try CountLimits(Array(Self.text.utf8)).findings(figures)
  }

  @Test func `counts up to their limits pass`() throws {
    #expect(try findings(.init("a", 2), .init("b", 1, of: 2)) == [])
  }

  @Test func `a count above its limit is named with both and what the limit stands for`() throws {
    #expect(
      try findings(.init("a", 3), .init("b", 1, of: 2))
        == ["a: counted 3, its limit is 2. Two."])
  }

  @Test func `what a longer path takes passes, and one more for each row does not`() throws {
    let limits = try CountLimits(
      Array(#"{"limits": [{"figure": "a", "limit": 95, "why": "Rows."}]}"#.utf8))
    #expect(limits.findings([.init("a", 95_900, of: 1000)]) == [])
    #expect(limits.findings([.init("a", 96)]) == ["a: counted 96, its limit is 95. Rows."])
  }

  @Test func `a count without a limit does not pass`() throws {
    #expect(
      try findings(.init("a", 2), .init("b", 0), .init("c", 1))
        == ["c: 1, and there is no limit for it"])
  }

  @Test func `a limit of what is not counted does not pass`() throws {
    #expect(try findings(.init("a", 2)) == ["b: has a limit and is not counted"])
  }

  @Test func `what varies needs no limit`() throws {
    var varying = CountedFigure("c", 7)
    varying.isHeld = false
    #expect(try findings(.init("a", 2), .init("b", 0), varying) == [])
  }

  @Test func `counts become limits without more slack than a thousandth`() throws {
    let limits = try CountLimits(Array(Self.text.utf8))
    let text = limits.updated(by: [.init("a", 3), .init("b", 1, of: 3)])
    let updated = try CountLimits(Array(text.utf8))
    #expect(updated.limits.map(\.figure) == ["a", "b"])
    #expect(updated.limits.map(\.most) == [3, 0.334])
    #expect(updated.limits.map(\.reason) == ["Two.", "Half."])
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"limits": [{"figure": "a", "limit": 1}]}"#,
      #"{"limits": [{"figure": "a", "limit": 1, "why": ""}]}"#,
      #"{"limits": [{"figure": "a", "limit": "1", "why": "x"}]}"#,
      #"{"limits": [{"figure": "a", "limit": 1, "why": "x"}, {"figure": "a", "limit": 1, "why": "x"}]}"#,
    ])
  func `a file that is not understood in full is refused`(text: String) {
    #expect(throws: (any Error).self) { try CountLimits(Array(text.utf8)) }
  }
}
