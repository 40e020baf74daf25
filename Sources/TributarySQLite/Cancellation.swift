import Synchronization

/// Tells the work of one call that its result is no longer wanted.
package final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let waker = Mutex<(@Sendable () -> Void)?>(nil)

  /// When the call began to wait for its turn; its waits for others are measured from then. `nil` if there
  /// was no such wait.
  package let start: ContinuousClock.Instant?

  package init(since start: ContinuousClock.Instant? = nil) { self.start = start }

  /// Ends the waits of the work; its statements fail from now on.
  package func cancel() {
    flag.store(true, ordering: .sequentiallyConsistent)
    waker.withLock { $0 }?()
  }

  package var isCancelled: Bool { flag.load(ordering: .sequentiallyConsistent) }

  /// - Throws: `CancellationError` after `cancel`.
  package func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Runs `body`, which waits, and checks `isCancelled` whenever `wake` has woken it.
  package func waiting<Result>(
    wokenBy wake: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    waker.withLock { $0 = wake }
    defer { waker.withLock { $0 = nil } }
    return try body()
  }

  /// Runs `body`; whatever it throws after `cancel` is `CancellationError`.
  package func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      try check()
      throw error
    }
  }
}
