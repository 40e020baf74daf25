import Glibc
import Synchronization
import Testing
import TributaryFiles
import TributaryTesting

struct RosterTests {
  /// Ends the jobs that it was given when the test says so.
  private final class Ending: Sendable {
    private let state = Mutex(false)
    var isDue: Bool { state.withLock { $0 } }
    func end() { state.withLock { $0 = true } }
  }

  @Test func `a job has a turn at once, and one for each time it is woken`() throws {
    let roster = Roster(threads: 2, most: 2)
    let turns = Recorded<Int>()
    let ending = Ending()
    let job = try roster.add {
      turns.append(1)
      return ending.isDue ? .never : .whenWoken
    }
    try eventually { turns.all.count == 1 }
    roster.wake(job)
    try eventually { turns.all.count == 2 }
    ending.end()
    roster.wake(job)
    roster.join()
    #expect(turns.all.count == 3)
    roster.wake(job)
  }

  @Test func `a job has a turn when its time has come`() throws {
    let roster = Roster(threads: 1, most: 1)
    let start = ContinuousClock.now
    let times = Recorded<ContinuousClock.Instant>()
    _ = try roster.add {
      times.append(.now)
      return times.all.count < 3 ? .at(start + .milliseconds(5 * times.all.count)) : .never
    }
    roster.join()
    #expect(times.all.count == 3)
    #expect(times.all[1] >= start + .milliseconds(5) && times.all[2] >= start + .milliseconds(10))
  }

  @Test func `a job that waits for a time alone is not woken before`() throws {
    let roster = Roster(threads: 1, most: 1)
    let start = ContinuousClock.now
    let times = Recorded<ContinuousClock.Instant>()
    let job = try roster.add {
      times.append(.now)
      return times.all.count < 2 ? .notBefore(start + .milliseconds(30)) : .never
    }
    for _ in 0..<50 { roster.wake(job) }
    roster.join()
    #expect(times.all.count == 2 && times.all[1] >= start + .milliseconds(30))
  }

  @Test func `turns of one job never overlap, and no waking is lost`() throws {
    let roster = Roster(threads: 4, most: 4)
    let state = Mutex((wanted: 0, done: 0, isRunning: false))
    let jobs = try (0..<1).map { _ in
      try roster.add {
        let overlaps = state.withLock { state in
          defer { state.isRunning = true }
          return state.isRunning
        }
        #expect(!overlaps)
        let seen = state.withLock { $0.wanted }
        sched_yield()
        return state.withLock { state in
          state.isRunning = false
          state.done = seen
          return seen == 1000 ? .never : .whenWoken
        }
      }
    }
    for _ in 0..<1000 {
      state.withLock { $0.wanted += 1 }
      roster.wake(jobs[0])
    }
    roster.join()
    #expect(state.withLock { $0.done } == 1000)
  }

  @Test func `jobs that take long hold up no others`() throws {
    let roster = Roster(threads: 2, most: 16)
    let ending = Ending()
    let blocked = Recorded<Int>()
    for number in 0..<10 {
      _ = try roster.add {
        blocked.append(number)
        try? eventually { ending.isDue }
        return .never
      }
    }
    let done = Recorded<Int>()
    for number in 0..<20 {
      _ = try roster.add {
        done.append(number)
        return .never
      }
    }
    try eventually { done.all.count == 20 && blocked.all.count == 10 }
    ending.end()
    roster.join()
  }

  @Test func `no more jobs run at a time than may, however many wait`() throws {
    let roster = Roster(threads: 1, most: 3)
    let ending = Ending()
    let running = Mutex((now: 0, most: 0))
    for _ in 0..<12 {
      _ = try roster.add {
        running.withLock { running in
          running.now += 1
          running.most = max(running.most, running.now)
        }
        try? eventually { ending.isDue }
        running.withLock { $0.now -= 1 }
        return .never
      }
    }
    try eventually { running.withLock { $0.now } == 3 }
    ending.end()
    roster.join()
    #expect(running.withLock { $0.most } == 3)
  }
}
