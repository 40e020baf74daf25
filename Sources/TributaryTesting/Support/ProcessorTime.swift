import Glibc

/// Returns the processor time that the calling thread spends on `body`. It does not include anything else
/// that the machine does.
///
/// - Parameter attempts: the number of measurements, of which the smallest counts, since caches are shared
///   with others.
package func processorTime(attempts: Int = 1, _ body: () throws -> Void) rethrows -> Duration {
  var least: Duration?
  for _ in 0..<attempts {
    let start = threadTime()
    try body()
    let spent = threadTime() - start
    least = min(least ?? spent, spent)
  }
  return least ?? .zero
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
