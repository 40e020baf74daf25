/// Decides what a watch does next: it takes events and returns the next step. It reads no clock and no file.
package struct WatchSchedule {
  package typealias Instant = ContinuousClock.Instant

  /// What to do now.
  package enum Step: Equatable {
    /// Wait whatever happens: commits in quick succession share a segment.
    case pause(until: Instant)
    case exchange(Look)
    /// Wait for something to happen.
    case wait(until: Instant)
    /// Take a step of compacting own segments.
    case compact
    /// Close the store, so that other programs can have the database to themselves.
    case rest
  }

  /// How much an exchange has to look at.
  package struct Look: Equatable {
    /// Whether anything can have arrived. If not, only the store has changed.
    package var includesContainer: Bool
    /// Whether it is possible that nothing has happened, which a look at the directories shows.
    package var mayBeIdle: Bool
    /// Whether the set of directories to watch may have changed.
    package var renewsWatches: Bool

    package init(includesContainer: Bool, mayBeIdle: Bool, renewsWatches: Bool) {
      self.includesContainer = includesContainer
      self.mayBeIdle = mayBeIdle
      self.renewsWatches = renewsWatches
    }

    package static let everything = Look(
      includesContainer: true, mayBeIdle: true, renewsWatches: true)
  }

  /// What an exchange did.
  package struct Outcome {
    package var published: Bool
    package var imported: Bool
    /// Whether something prevents exchanges.
    package var failed: Bool
    /// Whether changes in the container are announced, so that looks that no event prompted may become rare.
    package var announced: Bool
    /// Whether a program seems to be in the middle of a commit, whose end no event announces.
    package var awaitsCommit: Bool
    /// Whether the store was opened, so that it must be closed again if it rests.
    package var opened: Bool

    package init(
      published: Bool = false, imported: Bool = false, failed: Bool = false,
      announced: Bool = false, awaitsCommit: Bool = false, opened: Bool = true
    ) {
      self.awaitsCommit = awaitsCommit
      self.opened = opened
      self.published = published
      self.imported = imported
      self.failed = failed
      self.announced = announced
    }
  }

  private enum State {
    case due(Look)
    /// Nothing has happened yet. The next look is at `end` at the latest, and the store is closed at `rest`.
    case waiting(end: Instant, rest: Instant?)
  }

  /// When own segments are compacted; `nil` while something prevents exchanges.
  package var pace: CompactionPace?
  private var state: State
  private var lastPublish: Instant?
  /// The number of consecutive looks that no event prompted and that found nothing.
  private var quietLooks = 0
  /// The number of looks so far for a commit that has not appeared yet.
  private var commitLooks = 0
  /// When to look at the store again for that commit.
  private var nextCommitLook: Instant?
  private let interval: Duration
  private let rests: Bool
  private let compactionInterval: Duration
  /// Looks that no event prompted are on a grid that begins here.
  private let epoch: Instant

  /// Commits within this time after a publish share the next segment.
  package static let groupInterval = Duration.milliseconds(20)

  /// While nothing happens and everything is announced, the time between looks doubles, up to this many
  /// intervals.
  package static let longestInterval = 12

  /// The files of a store change before a commit: its writer is still waiting for the disk, usually for
  /// milliseconds, and no event announces the end of that wait. So the store is looked at again after 2, 4, 8
  /// … milliseconds, this many times.
  package static let commitLookLimit = 8

  /// After this time without anything to do, the store is closed. Programs that wait for a lock usually wait
  /// for seconds.
  package static let pauseBeforeRest = Duration.milliseconds(300)

  /// Begins with a look at everything.
  ///
  /// - Parameters:
  ///   - interval: the time between looks that no event prompted. Where changes are announced, it is the
  ///     shortest such time.
  ///   - rests: whether the store is closed while there is nothing to do.
  ///   - compactionInterval: the longest time between steps of compaction.
  ///   - epoch: the same for all stores of a process. Waking processors once for all stores costs half as
  ///     much as waking them for each.
  package init(
    interval: Duration, rests: Bool, compactionInterval: Duration, epoch: Instant
  ) {
    self.interval = interval
    self.rests = rests
    self.compactionInterval = compactionInterval
    self.epoch = epoch
    state = .due(.everything)
  }

  /// Returns the next step.
  package mutating func step(at now: Instant) -> Step {
    if case .waiting(let end, _) = state, end > now, let next = nextCommitLook {
      if now < next { return .wait(until: min(next, end)) }
      nextCommitLook = nil
      state = .due(Look(includesContainer: false, mayBeIdle: false, renewsWatches: false))
    }
    if case .waiting(let end, let rest) = state {
      if let rest, rest <= now, now < end { return .rest }
      if let pace, pace.next <= now, now < end { return .compact }
      if now < end { return .wait(until: min(end, rest ?? end, pace?.next ?? end)) }
      state = .due(.everything)
    }
    guard case .due(let look) = state else { preconditionFailure("neither due nor waiting") }
    if let last = lastPublish, now < last + Self.groupInterval {
      return .pause(until: last + Self.groupInterval)
    }
    return .exchange(look)
  }

  /// Records an exchange.
  ///
  /// - Parameter look: what it looked at.
  package mutating func didExchange(_ look: Look, _ outcome: Outcome, at now: Instant) {
    if outcome.published { lastPublish = now }
    if outcome.published || outcome.imported || outcome.failed || !outcome.announced {
      quietLooks = 0
    } else if look == .everything {
      quietLooks = min(quietLooks + 1, 30)
    }
    let awaitsCommit = outcome.awaitsCommit && !outcome.failed
    commitLooks = awaitsCommit ? commitLooks + 1 : 0
    nextCommitLook =
      awaitsCommit && commitLooks <= Self.commitLookLimit
      ? now + .milliseconds(1 << commitLooks) : nil
    // A commit that has not appeared by then is found like any other unannounced change.
    if awaitsCommit { quietLooks = 0 }
    if outcome.failed {
      pace = nil
    } else if pace != nil || look.includesContainer {
      pace = pace ?? CompactionPace(now, longest: compactionInterval)
      if outcome.published || outcome.imported {
        pace?.disturb(now)
      } else if !look.mayBeIdle {
        pace?.wake(now)
      }
    }
    state = .waiting(
      end: nextLook(after: now), rest: outcome.opened ? nextRest(after: now) : nil)
  }

  /// Records that another writer kept an exchange from beginning. The container may have changed meanwhile.
  package mutating func wasKeptOut() { state = .due(.everything) }

  /// Records what has happened while waiting.
  package mutating func didNotice(_ news: WatchNews) {
    guard news.container || news.store else { return }
    if news.store { commitLooks = 0 }
    state = .due(
      Look(
        includesContainer: news.container, mayBeIdle: false,
        renewsWatches: !news.container || news.isElsewhere))
  }

  /// Records a step of compaction, which has opened the store.
  package mutating func didCompact(at now: Instant) { setRest(nextRest(after: now)) }

  /// Records that the store is closed.
  package mutating func didRest() { setRest(nil) }

  private mutating func setRest(_ rest: Instant?) {
    if case .waiting(let end, _) = state { state = .waiting(end: end, rest: rest) }
  }

  private func nextRest(after now: Instant) -> Instant? {
    rests ? now + Self.pauseBeforeRest : nil
  }

  private func nextLook(after now: Instant) -> Instant {
    guard interval > .zero else { return now + .milliseconds(1) }
    let interval = interval * min(1 << max(0, quietLooks - 1), Self.longestInterval)
    return epoch + interval * Int(epoch.duration(to: now) / interval + 1)
  }
}
