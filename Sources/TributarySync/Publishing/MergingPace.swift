/// When a watch merges segments: in pauses, a step at a time, and ever more rarely where that fails.
package struct MergingPace {
  /// When to make the next step.
  package private(set) var next: ContinuousClock.Instant
  /// How often somebody has interrupted one in a row.
  private var interruptions = 0
  private var failures = 0
  /// The longest time between steps that do not fail.
  private let longest: Duration

  /// So long nothing may have happened.
  package static let quiet = Duration.seconds(1)
  /// Between steps.
  package static let pause = Duration.milliseconds(50)
  /// A step that was interrupted so often goes through the next time.
  package static let patience = 3

  package init(_ now: ContinuousClock.Instant, longest: Duration = .seconds(60)) {
    next = now + Self.quiet
    self.longest = longest
  }

  /// Something was published or imported.
  package mutating func disturb(_ now: ContinuousClock.Instant) {
    next = max(next, now + Self.quiet)
  }

  /// Whether the next step is given up when somebody waits.
  package var yields: Bool { interruptions < Self.patience }

  /// - Parameter milliseconds: since 1970, as steps say it.
  package mutating func made(
    _ step: SyncSession.MergingStep, _ now: ContinuousClock.Instant, milliseconds: Int64
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
      next = now + min(time ?? longest, longest)
    }
  }

  /// It could not be made.
  package mutating func failed(_ now: ContinuousClock.Instant) {
    next = now + longest * (1 << min(failures, 6))
    failures += 1
  }
}
