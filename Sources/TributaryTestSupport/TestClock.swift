import Synchronization
public import TributaryFiles

/// The clock of one device in a test: it stands still until it is set, except that each reading is a millisecond later
/// than the one before.
public final class TestClock: WallClock {
  private let time: Mutex<UInt64>

  /// - Parameter milliseconds: since 1970; the default is in November 2023.
  public init(milliseconds: UInt64 = 1_700_000_000_000) { time = Mutex(milliseconds) }

  /// The time, in milliseconds since 1970. Clocks may also go back.
  public var now: UInt64 {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  /// Moves the clock, backwards by a negative duration.
  public func advance(by duration: Duration) {
    let milliseconds = Int64(duration / .milliseconds(1))
    time.withLock { time in
      let step = milliseconds.magnitude
      time = milliseconds < 0 ? time - min(step, time) : time + step
    }
  }

  /// Reads the clock, for the store.
  public func milliseconds() -> UInt64 {
    time.withLock { time in
      time += 1
      return time
    }
  }
}
