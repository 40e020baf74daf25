/// Runs many jobs that usually wait, on few threads. Each gets a turn when its time has come, or when it is
/// woken.
///
/// The unchecked Sendable conformance is safe: all mutable state is accessed only while the lock is held.
package final class Roster: @unchecked Sendable {
  /// When a job gets its next turn.
  package enum Next {
    /// At this time, or as soon as it is woken.
    case at(ContinuousClock.Instant)
    /// At this time, even if something wakes it before.
    case notBefore(ContinuousClock.Instant)
    /// As soon as it is woken.
    case whenWoken
    /// Never: it has ended.
    case never
  }

  /// A job.
  ///
  /// The unchecked Sendable conformance is safe: the roster's lock protects the state.
  package final class Job: @unchecked Sendable {
    fileprivate let turn: () -> Next
    fileprivate var state = State.ended
    /// Whether it is to end, and so no longer waits for a time.
    fileprivate var isHurried = false

    fileprivate init(_ turn: @escaping () -> Next) { self.turn = turn }
  }

  fileprivate enum State {
    case waiting(end: Duration?, isDeaf: Bool)
    case ready
    case running(isWoken: Bool)
    case ended
  }

  private let news = Condition()
  private var jobs: [ObjectIdentifier: Job] = [:]
  private var ready: [Job] = []
  private var workers = 0
  /// The times when the running jobs began.
  private var running: [ObjectIdentifier: Duration] = [:]
  /// When the idle worker checks again; `nil` if there is none.
  private var keeper: Duration?
  private let regular: Int
  private let most: Int

  /// A job that takes longer than this is being held up by something, and others need not wait for it.
  private static let patience = Duration.milliseconds(100)
  private static let longest = Duration.seconds(86_400)

  /// Makes a roster without starting a thread.
  ///
  /// - Parameters:
  ///   - threads: the number of jobs that run at a time.
  ///   - most: the number of jobs that run at a time if some take a long time.
  package init(threads: Int, most: Int) {
    regular = threads
    self.most = most
  }

  /// Adds a job, whose first turn is now. Its turns never overlap.
  ///
  /// - Throws: `FileError` if there is no thread for it, and the system cannot make another one.
  package func add(_ turn: @escaping @Sendable () -> Next) throws(FileError) -> Job {
    let job = Job(turn)
    try news.locked { () throws(FileError) in
      if workers == 0 { try hire() }
      jobs[ObjectIdentifier(job)] = job
      makeReady(job)
    }
    return job
  }

  /// Gives a job a turn soon. Harmless for a job that has ended.
  package func wake(_ job: Job) {
    news.locked {
      switch job.state {
      case .waiting(let end, let isDeaf):
        if !isDeaf { makeReady(job) } else { job.state = .waiting(end: end, isDeaf: true) }
      case .running: job.state = .running(isWoken: true)
      case .ready, .ended: break
      }
    }
  }

  /// Gives a job a turn soon because it is to end, and from now on even when it waits for a time.
  package func hurry(_ job: Job) {
    news.locked {
      job.isHurried = true
      switch job.state {
      case .waiting: makeReady(job)
      case .running: job.state = .running(isWoken: true)
      case .ready, .ended: break
      }
    }
  }

  /// Waits until a job has ended.
  package func join(_ job: Job) {
    news.locked { while jobs[ObjectIdentifier(job)] != nil { _ = news.wait(until: nil) } }
  }

  /// Waits until all jobs have ended.
  package func join() {
    news.locked { while !jobs.isEmpty || workers > 0 { _ = news.wait(until: nil) } }
  }

  private func makeReady(_ job: Job) {
    job.state = .ready
    ready.append(job)
    if keeper != nil { news.broadcast() }
  }

  private func hire() throws(FileError) {
    try SpareThreads.shared.run { self.work() }
    workers += 1
  }

  // MARK: The threads

  private func work() {
    news.locked {
      while let job = nextJob() {
        running[ObjectIdentifier(job)] = Condition.now()
        // Another thread must notice if this takes long.
        if keeper == nil, workers <= most {
          // Without another thread, this one continues when it is done.
          try? hire()
        }
        job.state = .running(isWoken: false)
        let next = news.unlocked { job.turn() }
        running[ObjectIdentifier(job)] = nil
        settle(job, next)
      }
      workers -= 1
      news.broadcast()
    }
  }

  /// Returns the next job; `nil` if this thread is not needed.
  private func nextJob() -> Job? {
    while true {
      let now = Condition.now()
      let due = collectDue(now)
      var end = due
      if !ready.isEmpty, running.count < most {
        let busy = running.values.filter { now - $0 < Self.patience }
        if busy.count < regular { return ready.removeFirst() }
        end = min(due, (busy.min() ?? now) + Self.patience)
      }
      // One waiting thread is enough, if it checks in time.
      if let keeper {
        if end < keeper { news.broadcast() }
        return nil
      }
      if jobs.isEmpty { return nil }
      keeper = end
      _ = news.wait(until: end)
      keeper = nil
    }
  }

  /// Makes jobs ready whose time has come.
  ///
  /// - Returns: when the next job's time comes.
  private func collectDue(_ now: Duration) -> Duration {
    var next = now + Self.longest
    for job in jobs.values {
      guard case .waiting(let end?, _) = job.state else { continue }
      if end <= now {
        job.state = .ready
        ready.append(job)
      } else {
        next = min(next, end)
      }
    }
    return next
  }

  private func settle(_ job: Job, _ next: Next) {
    guard case .running(let isWoken) = job.state else { return }
    let now = Condition.now()
    func end(_ instant: ContinuousClock.Instant) -> Duration {
      now + min(Self.longest, max(.zero, instant - ContinuousClock.now))
    }
    switch next {
    case .never:
      job.state = .ended
      jobs[ObjectIdentifier(job)] = nil
      news.broadcast()
      return
    case .notBefore(let instant): job.state = .waiting(end: end(instant), isDeaf: true)
    case .at(let instant): job.state = .waiting(end: end(instant), isDeaf: false)
    case .whenWoken: job.state = .waiting(end: nil, isDeaf: false)
    }
    guard case .waiting(let end, let isDeaf) = job.state else { return }
    if isWoken, !isDeaf || job.isHurried { return makeReady(job) }
    // The waiting thread would check too late.
    if let keeper, let end, end < keeper { news.broadcast() }
  }
}
