internal import Synchronization

/// Somebody who waits for a claim of this process.
struct Waiter: Sendable {
  /// How long presenters may take to answer.
  var patience: Duration
  /// When presenters have had that long; `nil` while none is asked.
  var deadline: ContinuousClock.Instant?
  /// Called once, on any thread; must not wait.
  var resume: @Sendable (Result<Claim, any Error>) -> Void
}
