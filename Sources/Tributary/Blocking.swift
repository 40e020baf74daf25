import TributaryContainer
import TributaryCoordination
import TributaryFiles
import TributarySQLite

/// Runs blocking work on a separate thread.
enum Blocking {
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let body = CoordinationFlow.continued(body)
    return try await withCheckedThrowingContinuation { continuation in
      do throws(FileError) {
        _ = try WorkerThread(name: "tributary-call") {
          continuation.resume(with: Swift.Result { try body() })
        }
      } catch {
        continuation.resume(throwing: ContainerError(error))
      }
    }
  }

  /// Runs blocking work that ends when the task is cancelled.
  ///
  /// - Parameter turns: the turns in which the work first waits for its own; `nil` if it need not
  ///   wait.
  /// - Throws: also `CancellationError`.
  static func run<Result: Sendable>(
    in turns: Turns? = nil, _ body: @escaping @Sendable (Cancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = Cancellation(since: turns == nil ? nil : .now)
    try await turns?.begin()
    defer { turns?.end() }
    return try await withTaskCancellationHandler {
      try await run {
        try cancellation.check()
        return try body(cancellation)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
