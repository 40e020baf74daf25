import Testing
import TributarySync
import TributaryTesting

/// What a watch does next, without files and without waiting.
struct WatchScheduleTests {
  private typealias Look = WatchSchedule.Look
  private typealias Outcome = WatchSchedule.Outcome
  private let start = ContinuousClock.now

  private func schedule(interval: Duration = .seconds(10), rests: Bool = false) -> WatchSchedule {
    WatchSchedule(
      interval: interval, rests: rests, compactionInterval: .seconds(60), epoch: start)
  }

  /// A schedule that waits after an exchange at the given time.
  private func waiting(
    _ outcome: Outcome = Outcome(), at time: Duration = .milliseconds(500), rests: Bool = false
  ) -> WatchSchedule {
    var schedule = schedule(rests: rests)
    schedule.didExchange(.everything, outcome, at: start + time)
    return schedule
  }

  @Test func `first, it looks at everything`() {
    var schedule = schedule()
    #expect(schedule.step(at: start) == .exchange(.everything))
    #expect(schedule.step(at: start) == .exchange(.everything), "until it was done")
  }

  @Test func `when nothing happens, it looks again at times that all stores share`() {
    var schedule = waiting()
    // Compaction comes first, a second after the exchange.
    #expect(
      schedule.step(at: start + .milliseconds(600))
        == .wait(until: start + .milliseconds(500) + CompactionPace.quiet))
    schedule.pace = nil
    #expect(schedule.step(at: start + .seconds(3)) == .wait(until: start + .seconds(10)))
    schedule.didNotice(WatchNews())
    #expect(schedule.step(at: start + .seconds(9)) == .wait(until: start + .seconds(10)))
    #expect(schedule.step(at: start + .seconds(10)) == .exchange(.everything))
  }

  @Test func `a commit here is published without a look at the container`() {
    var schedule = waiting()
    schedule.didNotice(WatchNews(store: true))
    let look = Look(includesContainer: false, mayBeIdle: false, renewsWatches: true)
    #expect(schedule.step(at: start + .seconds(1)) == .exchange(look))
  }

  @Test(arguments: [false, true])
  func `what arrives is imported, and other directories are watched if there may be any`(
    isElsewhere: Bool
  ) {
    var schedule = waiting()
    schedule.didNotice(WatchNews(container: true, store: true, isElsewhere: isElsewhere))
    let look = Look(includesContainer: true, mayBeIdle: false, renewsWatches: isElsewhere)
    #expect(schedule.step(at: start + .seconds(1)) == .exchange(look))
  }

  @Test
  func
    `commits right after a publish wait for their followers, and the first after a pause does not`()
  {
    let time = Duration.milliseconds(500)
    var schedule = waiting(Outcome(published: true), at: time)
    schedule.didNotice(WatchNews(store: true))
    let next = start + time + WatchSchedule.groupInterval
    #expect(schedule.step(at: start + time + .milliseconds(1)) == .pause(until: next))
    let look = Look(includesContainer: false, mayBeIdle: false, renewsWatches: true)
    #expect(schedule.step(at: next) == .exchange(look))
    schedule.didExchange(look, Outcome(imported: true), at: next)
    schedule.didNotice(WatchNews(store: true))
    #expect(schedule.step(at: next) == .exchange(look))
  }

  @Test func `when another writer keeps it out, it looks at everything at once`() {
    var schedule = waiting()
    schedule.didNotice(WatchNews(store: true))
    schedule.wasKeptOut()
    #expect(schedule.step(at: start + .seconds(6)) == .exchange(.everything))
  }

  @Test func `segments are compacted while nothing else happens`() throws {
    var schedule = waiting()
    let due = start + .milliseconds(500) + CompactionPace.quiet
    #expect(schedule.step(at: due) == .compact)
    schedule.pace?.made(.done(payload: 1), due, milliseconds: 0)
    schedule.didCompact(at: due)
    #expect(schedule.step(at: due) == .wait(until: due + CompactionPace.pause))
    schedule.didNotice(WatchNews(store: true))
    let look = Look(includesContainer: false, mayBeIdle: false, renewsWatches: true)
    schedule.didExchange(look, Outcome(published: true), at: due)
    #expect(schedule.step(at: due) == .wait(until: due + CompactionPace.quiet), "put off")
  }

  @Test func `nothing is compacted while exchanges fail`() {
    var schedule = waiting(Outcome(failed: true))
    #expect(schedule.step(at: start + .seconds(9)) == .wait(until: start + .seconds(10)))
    let look = Look(includesContainer: false, mayBeIdle: false, renewsWatches: true)
    schedule.didExchange(look, Outcome(), at: start + .seconds(9))
    #expect(schedule.pace == nil, "only a look at the container shows that all is well again")
    schedule.didExchange(.everything, Outcome(), at: start + .seconds(9))
    #expect(schedule.pace != nil)
  }

  @Test func `the store is closed once in each pause, also after compaction has opened it`() {
    var schedule = waiting(rests: true)
    let due = start + .milliseconds(500) + WatchSchedule.pauseBeforeRest
    #expect(schedule.step(at: start + .milliseconds(600)) == .wait(until: due))
    #expect(schedule.step(at: due) == .rest)
    schedule.didRest()
    let compaction = start + .milliseconds(500) + CompactionPace.quiet
    #expect(schedule.step(at: due) == .wait(until: compaction))
    #expect(schedule.step(at: compaction) == .compact)
    schedule.pace?.made(.idle(until: nil), compaction, milliseconds: 0)
    schedule.didCompact(at: compaction)
    #expect(schedule.step(at: compaction + WatchSchedule.pauseBeforeRest) == .rest)
  }

  @Test func `whatever happens, it never waits for a time that is over, and never for long`() throws
  {
    try withSeeds(0..<200, filter: "WatchScheduleTests") { random in
      let interval = Duration.milliseconds(random.number(0...3_000))
      var schedule = schedule(interval: interval, rests: random.once(in: 2))
      var now = start
      for _ in 0..<200 {
        now += .microseconds(random.number(0...400_000))
        switch schedule.step(at: now) {
        case .wait(let end):
          #expect(now < end && end <= now + max(interval, .milliseconds(1)))
          if random.once(in: 3) { now = end }
          schedule.didNotice(
            WatchNews(
              container: random.once(in: 8), store: random.once(in: 8),
              isElsewhere: random.once(in: 2)))
        case .pause(let end):
          #expect(now < end && end <= now + WatchSchedule.groupInterval)
        case .exchange(let look):
          if random.once(in: 10) {
            schedule.wasKeptOut()
          } else {
            schedule.didExchange(
              look,
              Outcome(
                published: random.once(in: 3), imported: random.once(in: 3),
                failed: random.once(in: 8)), at: now)
          }
        case .rest: schedule.didRest()
        case .compact:
          if random.once(in: 4) {
            schedule.pace?.failed(now)
          } else {
            schedule.pace?.made(
              random.once(in: 2) ? .done(payload: 1) : .interrupted, now, milliseconds: 0)
          }
          schedule.didCompact(at: now)
        }
      }
    }
  }
}

/// Looks that nothing prompts.
struct AdaptiveWatchTests {
  private let start = ContinuousClock.now

  /// The seconds from the beginning to each look, if nothing happens.
  private func looks(
    _ count: Int, announced: Bool, quiet: (Int) -> WatchSchedule.Outcome? = { _ in nil }
  ) -> [Int] {
    var schedule = WatchSchedule(
      interval: .seconds(5), rests: false, compactionInterval: .seconds(60), epoch: start)
    var now = start + .milliseconds(1)
    var looks: [Int] = []
    for number in 0..<count {
      schedule.didExchange(
        .everything, quiet(number) ?? WatchSchedule.Outcome(announced: announced), at: now)
      schedule.pace = nil
      guard case .wait(let end) = schedule.step(at: now) else { break }
      looks.append(Int(start.duration(to: end) / .seconds(1)))
      now = end
    }
    return looks
  }

  @Test func `where all is announced, they become rarer, up to twelve times the interval`() {
    #expect(looks(7, announced: true) == [5, 10, 20, 40, 60, 120, 180])
  }

  @Test func `where changes may come unannounced, they stay as often`() {
    #expect(looks(4, announced: false) == [5, 10, 15, 20])
  }

  @Test(arguments: [
    WatchSchedule.Outcome(published: true, announced: true),
    WatchSchedule.Outcome(imported: true, announced: true),
    WatchSchedule.Outcome(failed: true, announced: true),
  ])
  func `after something has happened, or failed, they are as often as before`(
    outcome: WatchSchedule.Outcome
  ) {
    let looks = looks(7, announced: true) { $0 == 4 ? outcome : nil }
    #expect(looks == [5, 10, 20, 40, 45, 50, 60])
  }
}

/// Changes of a store's files that come before their commit.
struct AwaitedCommitTests {
  private let start = ContinuousClock.now
  private let look = WatchSchedule.Look(
    includesContainer: false, mayBeIdle: false, renewsWatches: false)

  /// A schedule that was told of a change of the store's files.
  private func noticed() -> WatchSchedule {
    var schedule = WatchSchedule(
      interval: .seconds(60), rests: false, compactionInterval: .seconds(60), epoch: start)
    schedule.didExchange(.everything, WatchSchedule.Outcome(), at: start)
    schedule.pace = nil
    schedule.didNotice(WatchNews(store: true))
    return schedule
  }

  @Test func `a commit that is not there yet is looked for again, ever more rarely, for a time`() {
    var schedule = noticed()
    schedule.didExchange(look, WatchSchedule.Outcome(awaitsCommit: true), at: start)
    var looks: [Int] = []
    while case .wait(let end) = schedule.step(at: start + .milliseconds(looks.last ?? 0)),
      start.duration(to: end) < .seconds(10)
    {
      #expect(schedule.step(at: end) == .exchange(look))
      schedule.didExchange(look, WatchSchedule.Outcome(awaitsCommit: true), at: end)
      looks.append(Int(start.duration(to: end) / .milliseconds(1)))
    }
    #expect(looks == [2, 6, 14, 30, 62, 126, 254, 510])
  }

  @Test(arguments: [
    WatchSchedule.Outcome(published: true),
    WatchSchedule.Outcome(failed: true, awaitsCommit: true),
  ])
  func `one that was found, or cannot be, is not looked for again`(outcome: WatchSchedule.Outcome) {
    var schedule = noticed()
    schedule.didExchange(look, outcome, at: start)
    #expect(schedule.step(at: start + .seconds(1)) == .wait(until: start + .seconds(60)))
  }
}
