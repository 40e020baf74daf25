import Glibc
import TributarySQLite

/// State that one thread uses at a time. It is lent for the duration of a closure, until it is ended.
///
/// Unlike with `Mutex`, results need not be sendable, and a thread that requests what it already holds gets
/// an error instead of waiting for itself.
///
/// The unchecked Sendable conformance is safe: only the owner accesses the state; while there is no owner,
/// only code that holds the mutex does.
final class SerialLock<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let change: UnsafeMutablePointer<pthread_cond_t>
  private var owner: pthread_t?
  private var isEnded = false
  /// The state; `nil` once it has been ended and is no longer used.
  private var state: State?
  /// Called with the state once it has been ended and is no longer used.
  private var farewell: ((State) -> Void)?

  init(_ state: State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    change = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(change, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(mutex)
    change.deallocate()
    mutex.deallocate()
  }

  /// Waits for the state and lends it.
  ///
  /// - Parameters:
  ///   - milliseconds: how long to wait; `nil` means as long as it takes.
  ///   - cancellation: ends the wait.
  /// - Throws: what `body` throws, `reentered()` if this thread already has it, `ended()` after `end`, `busy()` if it has
  ///   waited too long, and `CancellationError`.
  func with<Result>(
    orIfHeld reentered: () -> any Error, orIfEnded ended: () -> any Error,
    waiting milliseconds: Int? = nil, orIfBusy busy: () -> any Error = { CancellationError() },
    heeding cancellation: Cancellation? = nil,
    _ body: (inout State) throws -> Result
  ) throws -> Result {
    let attempt =
      cancellation.map { cancellation in
        cancellation.waiting(wokenBy: { [self] in wake() }) { take(milliseconds, cancellation) }
      } ?? take(milliseconds, nil)
    switch attempt {
    case .taken: break
    case .isBusy: throw busy()
    case .isCancelled: throw CancellationError()
    case .isHeld: throw reentered()
    case .isEnded: throw ended()
    }
    defer { giveBack() }
    return try body(&state!)
  }

  /// Ends the state, either at once or when its current user is done. This call does not wait.
  ///
  /// - Parameter farewell: called with the state before it is released.
  func end(_ farewell: ((State) -> Void)? = nil) {
    pthread_mutex_lock(mutex)
    isEnded = true
    let last = owner == nil ? state.take() : nil
    if last == nil { self.farewell = farewell }
    pthread_cond_broadcast(change)
    pthread_mutex_unlock(mutex)
    // Releasing the state may take a while.
    if let last { farewell?(last) }
  }

  /// Whether the calling thread is inside `with`.
  var isHeldByThisThread: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return isOwn
  }

  private var isOwn: Bool { owner.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

  private enum Attempt {
    case taken
    case isHeld
    case isEnded
    case isBusy
    case isCancelled
  }

  /// Makes all waiting threads check again.
  private func wake() {
    pthread_mutex_lock(mutex)
    pthread_cond_broadcast(change)
    pthread_mutex_unlock(mutex)
  }

  private func take(_ milliseconds: Int?, _ cancellation: Cancellation?) -> Attempt {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if !isEnded, isOwn { return .isHeld }
    if !isEnded, owner != nil {
      if let milliseconds {
        var end = Self.time(after: milliseconds)
        while !isEnded, owner != nil {
          if cancellation?.isCancelled == true { return .isCancelled }
          guard pthread_cond_timedwait(change, mutex, &end) == ETIMEDOUT, owner != nil else {
            continue
          }
          return isEnded ? .isEnded : .isBusy
        }
      } else {
        while !isEnded, owner != nil {
          if cancellation?.isCancelled == true { return .isCancelled }
          pthread_cond_wait(change, mutex)
        }
      }
    }
    if isEnded { return .isEnded }
    owner = pthread_self()
    return .taken
  }

  private static func time(after milliseconds: Int) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = time.tv_nsec + milliseconds % 1000 * 1_000_000
    return timespec(
      tv_sec: time.tv_sec + milliseconds / 1000 + nanoseconds / 1_000_000_000,
      tv_nsec: nanoseconds % 1_000_000_000)
  }

  private func giveBack() {
    pthread_mutex_lock(mutex)
    owner = nil
    let last = isEnded ? state.take() : nil
    let farewell = isEnded ? farewell.take() : nil
    pthread_cond_signal(change)
    pthread_mutex_unlock(mutex)
    if let last { farewell?(last) }
  }
}
