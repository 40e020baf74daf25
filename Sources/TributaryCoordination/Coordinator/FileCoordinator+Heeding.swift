// For callers that may give up waiting but are not tasks.
extension FileCoordinator {
  /// Reads and writes any number of items at once. The calling thread waits as long as the caller wants.
  ///
  /// - Parameters:
  ///   - waiting: runs the wait, which is its second argument. Its first argument ends the wait, on any
  ///     thread and at any time.
  ///   - accessor: uses the items at the URLs passed to it.
  /// - Throws: what the accessor throws; `CancellationError` if the wait was ended; `CoordinationError`.
  package func coordinate<Result>(
    with intents: [FileAccessIntent],
    waiting: (_ end: @escaping @Sendable () -> Void, _ wait: () throws -> Void) throws -> Void,
    byAccessor accessor: () throws -> Result
  ) throws -> Result {
    let request = AccessRequest(self, intents)
    let latch = Latch<Swift.Result<Grant, any Error>>()
    var granted: Grant?
    try waiting(request.cancel) {
      request.start { latch.set($0) }
      granted = try latch.wait().get()
    }
    guard let granted else { preconditionFailure("the wait was never run") }
    return try perform(granted) { _ in try accessor() }
  }
}
