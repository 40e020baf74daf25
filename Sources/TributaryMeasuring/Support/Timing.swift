import Glibc

/// Returns the seconds of a monotonic clock.
func now(_ clock: clockid_t = CLOCK_MONOTONIC) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns how long `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double { try timed(body).wall }

/// Returns how long `body` takes, and the processor time of all threads meanwhile, which does not
/// include waiting for disks.
func timed(_ body: () throws -> Void) rethrows -> (wall: Double, processor: Double) {
  let start = now()
  let processor = now(CLOCK_PROCESS_CPUTIME_ID)
  try body()
  return (now() - start, now(CLOCK_PROCESS_CPUTIME_ID) - processor)
}

/// The physical clock that stores are given.
struct SystemMilliseconds: Sendable {
  var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}

extension [Double] {
  var median: Double { quantile(0.5) }

  /// Returns the value below which this fraction of the values lies; 0 if there are no values.
  func quantile(_ part: Double) -> Double {
    guard !isEmpty else { return 0 }
    return sorted()[Swift.min(count - 1, Int(Double(count) * part))]
  }
}
