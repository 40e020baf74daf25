import TributaryFiles

/// A clock that shows the same time on a later day, so that work that waits for a long quiet period is due.
struct LaterClock: WallClock {
  /// The number of days later; 0 is today.
  var days: UInt64 = 1

  func milliseconds() -> UInt64 { SystemClock().milliseconds() + days * 86_400_000 }
}
