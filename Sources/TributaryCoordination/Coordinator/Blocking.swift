internal import TributaryFiles

/// Runs what may block on a thread of its own, since the threads of the task pool must never block.
enum Blocking {
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try WorkerThread(name: "tributary-access") {
          continuation.resume(with: Swift.Result { try body() })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
