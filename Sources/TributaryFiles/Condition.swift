internal import Glibc

/// A lock, and a signal to the threads that wait for a change of what it protects.
/// *pthread_cond_wait(3)*
///
/// The unchecked Sendable conformance is safe: the C library synchronises the use of both.
final class Condition: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>

  init() {
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    change = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The monotonic clock, because the time of day may jump.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(change, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(lock)
    change.deallocate()
    lock.deallocate()
  }

  func locked<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body()
  }

  /// Runs `body` while the lock, which the caller holds, is free for others.
  func unlocked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_unlock(lock)
    defer { pthread_mutex_lock(lock) }
    return body()
  }

  /// Wakes one waiting thread.
  func signal() { pthread_cond_signal(change) }

  /// Wakes all waiting threads.
  func broadcast() { pthread_cond_broadcast(change) }

  /// Waits for a signal; the caller holds the lock.
  ///
  /// - Parameter end: the time limit by the clock of `now`; `nil` waits forever.
  /// - Returns: `false` if the time is over.
  func wait(until end: Duration?) -> Bool {
    guard let end else { return pthread_cond_wait(change, lock) == 0 }
    let (seconds, attoseconds) = end.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    return pthread_cond_timedwait(change, lock, &time) != ETIMEDOUT
  }

  /// Returns the time since the system started.
  static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
