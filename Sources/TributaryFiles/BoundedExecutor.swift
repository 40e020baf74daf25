/// Runs operations that may never return, such as those on a network mount whose server is gone, on
/// a thread that nothing else needs, and waits for each of them no longer than a limit.
///
/// They run one at a time, in order. While one that was given up has not returned, further ones
/// fail at once: so one thread hangs at most, and nobody waits twice. When it returns, everything
/// goes on. A thread that hangs keeps no process from ending.
public final class BoundedExecutor: Sendable {
  /// How long an operation may take.
  public let limit: Duration
  private let queue = OperationQueue()

  /// Starts nothing yet.
  public init(limit: Duration) { self.limit = limit }

  deinit { queue.end() }

  /// Runs `body` on the thread.
  ///
  /// What belongs to the caller alone must not be touched by `body`: it may go on when the caller
  /// has given it up.
  ///
  /// - Parameters:
  ///   - operation: the name of the system call, for the error.
  ///   - path: what it works on, for the error.
  /// - Throws: what `body` throws; ETIMEDOUT, `isUnresponsive`, when it took longer than the limit,
  ///   or an earlier one still does. What it then returns is released on its thread.
  public func run<Result: Sendable>(
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

  /// Has `body` run at some time, without waiting: for closing what was opened here.
  public func post(_ body: @escaping @Sendable () -> Void) { queue.post(body) }

  /// Whether an operation that was given up has not returned yet.
  public var isStuck: Bool { queue.isStuck }

  /// Shortens the limit for operations that run already and for later ones; `nil` is as before.
  public func shorten(to limit: Duration?) { queue.shorten(to: limit) }

  /// The same for the end of all work, whatever else is said about the limit.
  public func finish(within limit: Duration?) { queue.finish(within: limit) }

  /// Sendable although unchecked: the thread writes it before the operation counts as done, and the
  /// caller reads it afterwards.
  private final class Outcome<Value>: @unchecked Sendable {
    var result: Result<Value, FileError>?
  }
}
