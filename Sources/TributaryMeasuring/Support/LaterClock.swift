import TributaryFiles

/// A clock that shows the same time on a later day: what is done when nothing has happened for long is due.
struct LaterClock: WallClock {
  /// How many days later; 0 is today.
  var days: UInt64 = 1

  func milliseconds() -> UInt64 { SystemClock().milliseconds() + days * 86_400_000 }
}
