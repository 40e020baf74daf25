import TributarySQLite
import TributarySync

/// Passes on the progress of opening a store until the task is cancelled.
final class OpeningProgress: Sendable {
  /// Stops the opening.
  let cancellation: Cancellation
  private let body: (@Sendable (StoreOptions.Progress) throws -> Void)?

  private init(
    _ body: (@Sendable (StoreOptions.Progress) throws -> Void)?, _ cancellation: Cancellation
  ) {
    self.body = body
    self.cancellation = cancellation
  }

  /// Opens something on a separate thread: rebuilding may take long, and must not block a thread of Swift's
  /// pool.
  ///
  /// - Parameter body: called with the progress.
  /// - Throws: what `open` throws; `CancellationError` if the task had been cancelled by then.
  static func run<Result: Sendable>(
    _ body: (@Sendable (StoreOptions.Progress) throws -> Void)?,
    _ open: @escaping @Sendable (OpeningProgress) throws -> Result
  ) async throws -> Result {
    try await Blocking.run { cancellation in
      let progress = OpeningProgress(body, cancellation)
      // Cancelled work can fail with many different errors.
      return try cancellation.naming { try open(progress) }
    }
  }

  /// - Throws: `CancellationError` after a cancellation; what the application throws.
  func pass(_ progress: TributarySync.Progress) throws {
    try cancellation.check()
    try body?(StoreOptions.Progress(progress))
  }
}
