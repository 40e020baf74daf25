internal import Glibc

/// A source of the time of day.
package protocol WallClock: Sendable {
  /// Returns milliseconds since 1970-01-01 00:00 UTC; may jump in both directions.
  func milliseconds() -> UInt64
}

/// The clock of this machine.
package struct SystemClock: WallClock {
  /// Makes the clock; it has no state.
  package init() {}

  /// Returns 0 for a clock set before 1970. *clock_gettime(2)*
  package func milliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec < 0 ? 0 : UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
