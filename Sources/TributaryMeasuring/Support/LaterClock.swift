import TributaryFiles

/// A clock that shows the same time tomorrow: what is done when nothing has happened for long is
/// due.
struct LaterClock: WallClock {
  func milliseconds() -> UInt64 { SystemClock().milliseconds() + 86_400_000 }
}
