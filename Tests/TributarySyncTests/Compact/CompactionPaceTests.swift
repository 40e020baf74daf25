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
