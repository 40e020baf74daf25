internal import Glibc

/// A result that a thread waits for.
///
/// The unchecked Sendable conformance is safe: the result is accessed only while the lock is held.
final class Latch<Value: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value?

  init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(news, nil)
  }

  deinit {
    pthread_cond_destroy(news)
    pthread_mutex_destroy(lock)
    news.deallocate()
    lock.deallocate()
  }

  func set(_ value: Value) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    self.value = value
    pthread_cond_broadcast(news)
  }

  /// Waits until the value is set.
  func wait() -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let value { return value }
      pthread_cond_wait(news, lock)
    }
  }
}
