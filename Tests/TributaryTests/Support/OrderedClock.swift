import Synchronization

import struct TributaryFiles.SystemClock
import protocol TributaryFiles.WallClock

/// The clock of this machine, but each reading is later than the one before: what is written later,
/// on whatever device, has the later stamp.
final class OrderedClock: WallClock {
  private let last = Mutex<UInt64>(0)

  func milliseconds() -> UInt64 {
    let now = SystemClock().milliseconds()
    return last.withLock { last in
      last = max(last + 1, now)
      return last
    }
  }
}
