internal import Glibc

/// A queue of operations that wait for their thread, with limits on the waiting.
///
/// Sendable although unchecked: all mutable state is accessed only while the lock is held.
final class WorkQueue: @unchecked Sendable {
  private final class Operation {
    let body: () -> Void
    var isDone = false

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  /// Signalled when there is work to do.
  private let work: UnsafeMutablePointer<pthread_cond_t>
  /// Signalled when an operation is done, or when waiting for it is useless.
  private let news: UnsafeMutablePointer<pthread_cond_t>

  private var waiting: [Operation] = []
  private var running: Operation?
  private var runningSince = Duration.zero
  /// Whether the caller has given up the running operation.
  private var isGivenUp = false
  private var shorter: Duration?
  private var final: Duration?
  private var hasThread = false
  private var isEnding = false

  init() {
    lock = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    work = .allocate(capacity: 1)
    news = .allocate(capacity: 1)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The monotonic clock, because the time of day may jump.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(work, &attributes)
    pthread_cond_init(news, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(work)
    pthread_cond_destroy(news)
    pthread_mutex_destroy(lock)
    work.deallocate()
    news.deallocate()
    lock.deallocate()
  }

  private func locked<Result>(_ body: () throws(FileError) -> Result) throws(FileError) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body()
  }

  // MARK: For those who ask

  var isStuck: Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return isGivenUp
  }

  func shorten(to limit: Duration?) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    shorter = limit
    pthread_cond_broadcast(news)
  }

  func finish(within limit: Duration?) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    final = limit
    pthread_cond_broadcast(news)
  }

  /// Runs an operation and waits for it.
  ///
  /// - Returns: `false` if the operation was given up. If it has begun, it may still be running.
  /// - Throws: if no thread can be started.
  func perform(within limit: Duration, _ body: @escaping () -> Void) throws(FileError) -> Bool {
    try locked { () throws(FileError) in
      guard !isGivenUp else { return false }
      let operation = try enqueue(body)
      let start = Self.now()
      while !operation.isDone {
        let most = min(limit, shorter ?? limit, final ?? limit)
        if isGivenUp || !wait(until: start + most) && !operation.isDone {
          // An operation that nobody waits for, such as closing a file, may hang too.
          if operation === running || running != nil && Self.now() - runningSince >= most {
            isGivenUp = true
          }
          waiting.removeAll { $0 === operation }
          // Those that wait behind it wait in vain.
          pthread_cond_broadcast(news)
          return false
        }
      }
      return true
    }
  }

  func post(_ body: @escaping () -> Void) {
    // Without a thread, nothing was opened that would have to be closed.
    try? locked { () throws(FileError) in _ = try enqueue(body) }
  }

  /// Lets the thread end after the remaining work.
  func end() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    isEnding = true
    pthread_cond_signal(work)
  }

  private func enqueue(_ body: @escaping () -> Void) throws(FileError) -> Operation {
    if !hasThread {
      _ = try WorkerThread(name: "tributary-files") { self.workOff() }
      hasThread = true
    }
    let operation = Operation(body)
    waiting.append(operation)
    pthread_cond_signal(work)
    return operation
  }

  /// Waits for a signal.
  ///
  /// - Returns: `false` if the deadline has passed.
  private func wait(until deadline: Duration) -> Bool {
    let (seconds, attoseconds) = deadline.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    return pthread_cond_timedwait(news, lock, &time) != ETIMEDOUT
  }

  private static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  // MARK: The thread

  private func workOff() {
    while let operation = next() {
      operation.body()
      finish(operation)
    }
  }

  private func next() -> Operation? {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while waiting.isEmpty && !isEnding { pthread_cond_wait(work, lock) }
    if waiting.isEmpty { return nil }
    running = waiting.removeFirst()
    runningSince = Self.now()
    return running
  }

  private func finish(_ operation: Operation) {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    operation.isDone = true
    running = nil
    isGivenUp = false
    pthread_cond_broadcast(news)
  }
}
