import Testing
import TributarySync

/// When a watch compacts segments.
struct CompactionPaceTests {
  private let start = ContinuousClock.now

  @Test func `the first step comes after a second of quiet, the next ones soon`() {
    var pace = CompactionPace(start)
    #expect(pace.next == start + .seconds(1))
    pace.disturb(start + .milliseconds(900))
    #expect(pace.next == start + .milliseconds(1900))
    pace.made(.done(payload: 1), start + .seconds(2), milliseconds: 0)
    #expect(pace.next == start + .seconds(2) + CompactionPace.pause)
  }

  @Test func `with nothing to do it looks again when something is due, after a minute at first`() {
    var pace = CompactionPace(start)
    pace.made(.idle(until: 5000), start, milliseconds: 3000)
    #expect(pace.next == start + .seconds(2))
    pace = CompactionPace(start)
    pace.made(.idle(until: 5_000_000), start, milliseconds: 3000)
    #expect(pace.next == start + .seconds(60))
  }

  @Test func `while nothing happens it looks ever more rarely, four times an hour in the end`() {
    var pace = CompactionPace(start)
    var pauses: [Int] = []
    for _ in 1...7 {
      pace.made(.idle(until: nil), start, milliseconds: 0)
      pauses.append(Int((pace.next - start) / .seconds(60)))
    }
    #expect(pauses == [1, 2, 4, 8, 16, 16, 16])
    pace.made(.idle(until: 300_000), start, milliseconds: 0)
    #expect(pace.next == start + .seconds(300), "what is due is not put off")
  }

  @Test func `when something happens, it looks within a minute again`() {
    var pace = CompactionPace(start)
    for _ in 1...5 { pace.made(.idle(until: nil), start, milliseconds: 0) }
    pace.wake(start)
    #expect(pace.next == start + .seconds(60))
    pace.made(.idle(until: nil), start, milliseconds: 0)
    #expect(pace.next == start + .seconds(60))
    for _ in 1...5 { pace.made(.idle(until: nil), start, milliseconds: 0) }
    pace.disturb(start)
    #expect(pace.next == start + .seconds(60))
    pace.failed(start)
    pace.failed(start)
    pace.wake(start)
    #expect(pace.next == start + .seconds(120), "what fails is not tried more often")
  }

  @Test func `where there is no quiet, steps come after a minute, until there is nothing to do`() {
    var pace = CompactionPace(start)
    func disturb(for milliseconds: ClosedRange<Int>) -> Int? {
      for time in milliseconds where time.isMultiple(of: 10) {
        let now = start + .milliseconds(time)
        if pace.next <= now { return time }
        pace.disturb(now)
      }
      return nil
    }
    #expect(disturb(for: 0...100_000) == 60_000)
    pace.made(.done(payload: 1), start + .seconds(60), milliseconds: 0)
    #expect(disturb(for: 60_010...100_000) == 60_050, "the next one follows soon")
    pace.made(.interrupted, start + .milliseconds(60_050), milliseconds: 0)
    #expect(disturb(for: 60_060...100_000) == 61_050)
    pace.made(.idle(until: nil), start + .milliseconds(61_050), milliseconds: 0)
    #expect(disturb(for: 61_060...200_000) == 121_060, "a minute after the first event")
    pace.failed(start + .milliseconds(121_060))
    #expect(disturb(for: 121_070...200_000) == 181_070, "a failure is not tried more often")
  }

  @Test func `a step that is interrupted again and again goes through in the end`() {
    var pace = CompactionPace(start)
    for _ in 1...3 {
      #expect(pace.yields)
      pace.made(.interrupted, start, milliseconds: 0)
    }
    #expect(!pace.yields)
    pace.made(.done(payload: 1), start, milliseconds: 0)
    #expect(pace.yields)
  }

  @Test func `what fails is tried ever more rarely, about once an hour in the end`() {
    var pace = CompactionPace(start)
    var pauses: [Int] = []
    for _ in 1...9 {
      pace.failed(start)
      pauses.append(Int((pace.next - start) / .seconds(60)))
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 64, 64])
  }
}
