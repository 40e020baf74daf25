/// A queue of operations that wait for their thread, with limits on the waiting.
///
/// The unchecked Sendable conformance is safe: all mutable state is accessed only while the lock is
/// held.
final class WorkQueue: @unchecked Sendable {
  private final class Operation {
    let body: () -> Void
    var isDone = false

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Signalled when an operation is done, or when waiting for it is useless.
  private let news = Condition()

  private var waiting: [Operation] = []
  private var running: Operation?
  private var runningSince = Duration.zero
  /// Whether the caller has given up the running operation.
  private var isGivenUp = false
  private var shorter: Duration?
  private var final: Duration?
  /// Whether a thread is working through the queue.
  private var hasThread = false
  private let group: ExecutorGroup?

  init(group: ExecutorGroup?) { self.group = group }

  // MARK: For those who ask

  var isStuck: Bool { news.locked { isGivenUp } }

  func shorten(to limit: Duration?) {
    news.locked {
      shorter = limit
      news.broadcast()
    }
  }

  func finish(within limit: Duration?) {
    news.locked {
      final = limit
      news.broadcast()
    }
  }

  /// Runs an operation and waits for it.
  ///
  /// - Returns: `false` if the operation was given up. If it has begun, it may still be running.
  /// - Throws: if no thread can be started.
  func perform(within limit: Duration, _ body: @escaping () -> Void) throws(FileError) -> Bool {
    try news.locked { () throws(FileError) in
      guard !isGivenUp, group?.isStuck != true else { return false }
      let operation = try enqueue(body)
      let start = Condition.now()
      while !operation.isDone {
        let most = min(limit, shorter ?? limit, final ?? limit)
        if isGivenUp || !news.wait(until: start + most) && !operation.isDone {
          // An operation that no caller waits for, such as closing a file, may hang too.
          if operation === running || running != nil && Condition.now() - runningSince >= most {
            giveUp()
          }
          waiting.removeAll { $0 === operation }
          // The operations behind it wait in vain.
          news.broadcast()
          return false
        }
      }
      return true
    }
  }

  func post(_ body: @escaping () -> Void) {
    // Without a thread, nothing was opened, so there is nothing to close.
    try? news.locked { () throws(FileError) in _ = try enqueue(body) }
  }

  private func giveUp() {
    if !isGivenUp { group?.begin() }
    isGivenUp = true
  }

  private func enqueue(_ body: @escaping () -> Void) throws(FileError) -> Operation {
    if !hasThread {
      try SpareThreads.shared.run { self.workOff() }
      hasThread = true
    }
    let operation = Operation(body)
    waiting.append(operation)
    return operation
  }

  // MARK: The thread

  private func workOff() {
    while let operation = next() {
      operation.body()
      finish(operation)
    }
  }

  private func next() -> Operation? {
    news.locked {
      if waiting.isEmpty {
        hasThread = false
        return nil
      }
      running = waiting.removeFirst()
      runningSince = Condition.now()
      return running
    }
  }

  private func finish(_ operation: Operation) {
    news.locked {
      operation.isDone = true
      running = nil
      if isGivenUp { group?.end() }
      isGivenUp = false
      news.broadcast()
    }
  }
}
