internal import Synchronization

/// A caller that waits for a claim of this process.
struct Waiter: Sendable {
  /// How long presenters may take to answer.
  var patience: Duration
  /// When the presenters' time is over; `nil` while none is being asked.
  var deadline: ContinuousClock.Instant?
  /// Called once, on any thread. It must not wait.
  var resume: @Sendable (Result<Claim, any Error>) -> Void
}
