import Synchronization
internal import TributaryFiles

/// A clock that stands still until it is set, and that can be set back.
package final class AdjustableClock: WallClock {
  private let time: Mutex<UInt64>

  /// Makes a clock.
  ///
  /// - Parameter milliseconds: since 1970.
  package init(milliseconds: UInt64 = 1_700_000_000_000) { time = Mutex(milliseconds) }

  /// The time, in milliseconds since 1970.
  package var now: UInt64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Returns the time, for users of a `WallClock`.
  package func milliseconds() -> UInt64 { now }

  /// Moves the clock forwards, or backwards for a negative number, but not before 1970.
  package func advance(by milliseconds: Int64) {
    time.withLock { time in
      let step = milliseconds.magnitude
      time = milliseconds < 0 ? time - min(step, time) : time + step
    }
  }

  /// The clock as a function, for code that takes its time from one.
  package var read: @Sendable () -> UInt64 {
    { self.now }
  }
}
