import TributaryContainer
import TributaryCoordination
import TributaryFiles

/// Runs blocking work on a thread of its own.
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
}
