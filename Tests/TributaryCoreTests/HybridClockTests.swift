import Testing
import TributaryCore

struct HybridClockTests {
  @Test func `a time that moves on is taken as it is`() {
    var clock = HybridClock()
    #expect(clock.tick(milliseconds: 5, randomness: 0) == HybridTime(milliseconds: 5, counter: 0))
    #expect(clock.tick(milliseconds: 9, randomness: 0) == HybridTime(milliseconds: 9, counter: 0))
  }

  @Test func `a clock that stands still or jumps back only counts`() {
    var clock = HybridClock()
    _ = clock.tick(milliseconds: 1_000, randomness: 0)
    #expect(
      clock.tick(milliseconds: 1_000, randomness: 0) == HybridTime(milliseconds: 1_000, counter: 1))
    #expect(
      clock.tick(milliseconds: 3, randomness: 0) == HybridTime(milliseconds: 1_000, counter: 2))
    #expect(
      clock.tick(milliseconds: 0, randomness: 0) == HybridTime(milliseconds: 1_000, counter: 3))
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `every tick is after all that was read and observed`(seed: UInt64) throws {
    var random = RepeatableRandomness(seed: seed)
    var clock = HybridClock()
    var latest = HybridTime.zero
    for _ in 0..<500 {
      let physical = UInt64.random(in: 0...40, using: &random)
      if Bool.random(using: &random) {
        let seen = HybridTime(
          milliseconds: UInt64.random(in: 0...40, using: &random),
          counter: UInt16.random(in: 0 ... .max, using: &random))
        clock.observe(seen)
        latest = max(latest, seen)
      } else {
        let ticked = clock.tick(milliseconds: physical, randomness: 0)
        let time = try #require(ticked)
        #expect(time > latest)
        #expect(time.milliseconds >= physical)
        latest = time
      }
      #expect(clock.last == latest)
    }
  }

  @Test func `a full counter carries into the milliseconds`() {
    var clock = HybridClock(last: HybridTime(milliseconds: 7, counter: .max))
    #expect(clock.tick(milliseconds: 7, randomness: 0) == HybridTime(milliseconds: 8, counter: 0))
  }

  @Test func `observing an earlier time changes nothing`() {
    let start = HybridClock(last: HybridTime(milliseconds: 7, counter: 3))
    var clock = start
    clock.observe(HybridTime(milliseconds: 7, counter: 2))
    #expect(clock == start)
  }

  @Test func `a physical clock beyond 48 bits counts as the last moment`() {
    var clock = HybridClock()
    let last = HybridTime(milliseconds: HybridTime.maximumMilliseconds, counter: 0)
    #expect(clock.tick(milliseconds: .max, randomness: 0) == last)
  }

  @Test func `a clock at its end gives no time and stays there`() {
    let end = HybridTime(rawValue: .max)
    var clock = HybridClock(last: end)
    #expect(clock.tick(milliseconds: 0, randomness: 0) == nil)
    #expect(clock.tick(milliseconds: .max, randomness: 0) == nil)
    #expect(clock.last == end)
  }

  @Test(arguments: [(2_000, "agree"), (3, "are behind")] as [(UInt64, String)])
  func `two copies that do not know of each other hardly ever give one time`(
    physical: UInt64, clocks: String
  ) {
    var random = RepeatableRandomness(seed: physical)
    var equal = 0
    for _ in 0..<1_000 {
      var one = HybridClock(last: HybridTime(milliseconds: 1_000, counter: 7))
      var other = one
      let times = [
        one.tick(milliseconds: physical, randomness: random.next()),
        other.tick(milliseconds: physical, randomness: random.next()),
      ]
      if times[0] == times[1] { equal += 1 }
      #expect(times.allSatisfy { ($0?.milliseconds ?? 0) <= max(physical, 1_001) })
    }
    #expect(equal < 10, "clocks that \(clocks)")
  }

  @Test func `thousands of events of one millisecond hardly run ahead of the clock`() {
    var random = RepeatableRandomness(seed: 1)
    var clock = HybridClock()
    for _ in 0..<1_500 { _ = clock.tick(milliseconds: 1_000, randomness: random.next()) }
    #expect(clock.last.milliseconds <= 1_001)
  }
}
