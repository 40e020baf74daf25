import Foundation
import Testing
import TributaryTesting

struct SupportTests {
  @Test func `a seed gives the published sequence of its generator`() {
    var random = SeededGenerator(seed: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
    ]
    #expect((0..<3).map { _ in random.next() } == expected)
  }

  @Test func `a failing seed is named`() {
    struct Wrong: Error {}
    let failure = #expect(throws: SeedFailure.self) {
      try withSeeds(3..<9) { random in if random.seed == 5 { throw Wrong() } }
    }
    #expect(failure?.seed == 5)
  }

  @Test func `a temporary directory is gone afterwards with all that was in it`() async throws {
    let path = try withTemporaryDirectory { path in
      try Data("x".utf8).write(to: URL(fileURLWithPath: path + "/file"))
      return path
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    let other = try await withTemporaryDirectory { path in
      await Task.yield()
      #expect(FileManager.default.fileExists(atPath: path))
      return path
    }
    #expect(!FileManager.default.fileExists(atPath: other))
    #expect(other != path)
  }

  @Test func `what is waited for may come at any time, and a failure ends the waiting`() throws {
    struct Wrong: Error {}
    var count = 0
    try eventually {
      count += 1
      return count == 3
    }
    #expect(count == 3)
    #expect(throws: Wrong.self) { try eventually { throw Wrong() } }
  }

  @Test func `processor time is what the thread spends, not what passes`() {
    let idle = processorTime { awaitClockTick() }
    let busy = processorTime {
      var sum: UInt64 = 0
      for number in 0..<10_000_000 as Range<UInt64> { sum = sum &* 31 &+ number }
      #expect(sum != 0)
    }
    #expect(idle > .zero && busy > .zero)
    #expect(busy > idle)
  }

  @Test func `a clock goes where it is told`() {
    let clock = AdjustableClock(milliseconds: 10)
    clock.advance(by: 5)
    #expect(clock.read() == 15)
    clock.advance(by: -20)
    #expect(clock.now == 0)
    clock.now = 7
    #expect(clock.read() == 7)
  }
}
