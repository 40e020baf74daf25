/// Decides when a watch compacts segments: in pauses, one step at a time, and increasingly rarely after
/// failures. Where there are no pauses, it compacts anyway: otherwise, a store that is always busy would have
/// more and more segments.
package struct CompactionPace {
  /// When to take the next step.
  package private(set) var next: ContinuousClock.Instant
  /// The number of consecutive interrupted steps.
  private var interruptions = 0
  private var failures = 0
  /// The number of consecutive steps that had nothing to do, with nothing happening in between.
  private var idleSteps = 0
  /// The longest time between steps while something happens and steps do not fail.
  private let longest: Duration
  /// After this time, no event postpones a step. It is set by the first event after there was nothing to do.
  private var deadline: ContinuousClock.Instant?

  /// The time without events before the first step.
  package static let quiet = Duration.seconds(1)
  /// The pause between steps.
  package static let pause = Duration.milliseconds(50)
  /// After this many interruptions, the next step is not interrupted.
  package static let patience = 3
  /// While nothing happens, the time between steps doubles, up to this many times the longest.
  package static let longestIdle = 16

  package init(_ now: ContinuousClock.Instant, longest: Duration = .seconds(60)) {
    next = now + Self.quiet
    self.longest = longest
  }

  /// Records that something was published or imported.
  package mutating func disturb(_ now: ContinuousClock.Instant) {
    wake(now)
    let deadline = deadline ?? now + longest
    self.deadline = deadline
    next = max(next, min(now + Self.quiet, deadline))
  }

  /// Records an event after which there may be something to do, such as a receipt.
  package mutating func wake(_ now: ContinuousClock.Instant) {
    guard failures == 0 else { return }
    idleSteps = 0
    next = min(next, now + longest)
  }

  /// Whether the next step gives way if another thread is waiting.
  package var yields: Bool { interruptions < Self.patience }

  /// Records a step.
  ///
  /// - Parameter milliseconds: the present time since 1970, the scale of the times that steps return.
  package mutating func made(
    _ step: SyncSession.CompactionStep, _ now: ContinuousClock.Instant, milliseconds: Int64
  ) {
    failures = 0
    switch step {
    case .interrupted:
      interruptions += 1
      next = now + Self.quiet
    case .done:
      interruptions = 0
      next = now + Self.pause
    case .idle(let until):
      interruptions = 0
      let time = until.map { Duration.milliseconds(max(0, $0 - milliseconds)) }
      let most = longest * min(1 << min(idleSteps, 30), Self.longestIdle)
      next = now + min(time ?? most, most)
      idleSteps += 1
      deadline = nil
    }
  }

  /// Records that a step failed.
  package mutating func failed(_ now: ContinuousClock.Instant) {
    next = now + longest * (1 << min(failures, 6))
    failures += 1
    deadline = nil
  }
}
