internal import TributaryFiles

/// Runs work that may block on a separate thread, since the threads of the task pool must never
/// block.
enum Blocking {
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let handover = Handover<Swift.Result<Result, any Error>>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      do {
        _ = try WorkerThread(name: "tributary-access") {
          handover.put(Swift.Result { try body() })
          continuation.resume()
        }
      } catch {
        handover.put(.failure(error))
        continuation.resume()
      }
    }
    return try handover.take().get()
  }
}
