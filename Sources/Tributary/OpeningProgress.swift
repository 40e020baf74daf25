import Synchronization
import TributarySync

/// Passes the progress of opening a store on, until its task is cancelled.
final class OpeningProgress: Sendable {
  private let isCancelled = Atomic(false)
  private let body: (@Sendable (StoreOptions.Progress) throws -> Void)?

  init(_ body: (@Sendable (StoreOptions.Progress) throws -> Void)?) { self.body = body }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError` after `cancel`; what the application throws.
  func pass(_ progress: TributarySync.Progress) throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    try body?(StoreOptions.Progress(progress))
  }
}
