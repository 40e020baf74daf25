/// Runs operations that may never return, such as those on a network mount whose server is gone. It runs them
/// on another thread, which it borrows while there is something to do, and waits for each operation only up
/// to a limit.
///
/// Operations run one at a time, in order. Once the caller has given up an operation, further ones fail at
/// once until it returns. So at most one thread hangs, and no caller waits twice. A hanging thread does not
/// keep the process from ending.
package final class BoundedExecutor: Sendable {
  /// The longest time that an operation may take.
  package let limit: Duration
  private let queue: WorkQueue

  /// Makes an executor without starting a thread.
  ///
  /// - Parameter group: the executors for the same place. If several of them hang, operations fail at once.
  package init(limit: Duration, group: ExecutorGroup? = nil) {
    self.limit = limit
    queue = WorkQueue(group: group)
  }

  /// Runs `body` on the thread and waits for it.
  ///
  /// `body` must not touch anything that belongs to the caller alone: it may still be running after the
  /// caller has given up on it.
  ///
  /// - Parameters:
  ///   - operation: the name of the system call, for the error.
  ///   - path: what the call works on, for the error.
  /// - Throws: what `body` throws; ETIMEDOUT, for which `isUnresponsive` is true, if `body` took longer than
  ///   the limit or an earlier operation still does. The result of a late `body` is released on the thread.
  package func run<Result: Sendable>(
    _ operation: String, on path: String,
    _ body: @escaping @Sendable () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let outcome = Outcome<Result>()
    let isDone = try queue.perform(within: limit) {
      outcome.result = Swift.Result(catching: body)
    }
    guard isDone, let result = outcome.result else {
      throw .unresponsive(operation, path)
    }
    return try result.get()
  }

  /// Queues `body` without waiting for it: for closing what was opened here.
  package func post(_ body: @escaping @Sendable () -> Void) { queue.post(body) }

  /// Whether an operation that the caller has given up has not returned yet.
  package var isStuck: Bool { queue.isStuck }

  /// Shortens the limit for running and later operations; `nil` restores it.
  package func shorten(to limit: Duration?) { queue.shorten(to: limit) }

  /// Sets a limit for the end of all work, which holds regardless of other calls.
  package func finish(within limit: Duration?) { queue.finish(within: limit) }

  /// The unchecked Sendable conformance is safe: the thread writes the result before the operation counts as
  /// done, and the caller reads it afterwards.
  private final class Outcome<Value>: @unchecked Sendable {
    var result: Result<Value, FileError>?
  }
}
