import TributarySQLite
import TributarySync

/// Passes the progress of an opening on, until its task is cancelled.
final class OpeningProgress: Sendable {
  /// Ends opening.
  let cancellation: Cancellation
  private let body: (@Sendable (StoreOptions.Progress) throws -> Void)?

  private init(
    _ body: (@Sendable (StoreOptions.Progress) throws -> Void)?, _ cancellation: Cancellation
  ) {
    self.body = body
    self.cancellation = cancellation
  }

  /// Opens something on a thread of its own: rebuilding may take long, and must not block those of Swift's pool.
  ///
  /// - Parameter body: called with the progress.
  /// - Throws: what `open` throws; `CancellationError` if the task was cancelled by then.
  static func run<Result: Sendable>(
    _ body: (@Sendable (StoreOptions.Progress) throws -> Void)?,
    _ open: @escaping @Sendable (OpeningProgress) throws -> Result
  ) async throws -> Result {
    try await Blocking.run { cancellation in
      let progress = OpeningProgress(body, cancellation)
      // What is cancelled fails in many ways.
      return try cancellation.naming { try open(progress) }
    }
  }

  /// - Throws: `CancellationError` after cancelling; what the application throws.
  func pass(_ progress: TributarySync.Progress) throws {
    try cancellation.check()
    try body?(StoreOptions.Progress(progress))
  }
}
