import Glibc

/// State that one thread uses at a time, lent for the length of a closure.
///
/// Unlike `Mutex`, results need not be sendable, and a thread that asks for what it already holds
/// is told so instead of waiting for itself.
///
/// Sendable although unchecked: the state is reached only while the lock is held.
final class SerialLock<State>: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private var state: State

  init(_ state: State) {
    self.state = state
    lock = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    pthread_mutex_init(lock, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// - Throws: what `body` throws, and `reentered()` when this thread holds the lock already.
  func with<Result>(
    orIfHeld reentered: () -> any Error, _ body: (inout State) throws -> Result
  ) throws -> Result {
    guard pthread_mutex_lock(lock) == 0 else { throw reentered() }
    defer { pthread_mutex_unlock(lock) }
    return try body(&state)
  }
}
