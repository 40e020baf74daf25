import TributarySQLite
import TributarySync

/// Passes the progress of opening a store on, until its task is cancelled.
final class OpeningProgress: Sendable {
  /// Ends opening.
  let cancellation = Cancellation()
  private let body: (@Sendable (StoreOptions.Progress) throws -> Void)?

  init(_ body: (@Sendable (StoreOptions.Progress) throws -> Void)?) { self.body = body }

  func cancel() { cancellation.cancel() }

  /// - Throws: `CancellationError` after `cancel`; what the application throws.
  func pass(_ progress: TributarySync.Progress) throws {
    try cancellation.check()
    try body?(StoreOptions.Progress(progress))
  }
}
