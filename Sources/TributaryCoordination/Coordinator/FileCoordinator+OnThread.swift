public import FoundationEssentials
internal import TributaryFiles

// For asynchronous code whose accessors block.
extension FileCoordinator {
  /// Reads an item.
  ///
  /// - Parameter accessor: runs on a separate thread, where it may block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result: Sendable>(
    readingItemAt url: URL, options: ReadingOptions = [],
    byAccessor accessor: @escaping @Sendable (URL) throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      [.readingIntent(with: url, options: options)]) { try accessor($0[0]) }
  }

  /// Writes an item.
  ///
  /// - Parameter accessor: runs on a separate thread, where it may block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result: Sendable>(
    writingItemAt url: URL, options: WritingOptions = [],
    byAccessor accessor: @escaping @Sendable (URL) throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      [.writingIntent(with: url, options: options)]) { try accessor($0[0]) }
  }

  /// Reads one item and writes another, at once.
  ///
  /// - Parameter accessor: runs on a separate thread, where it may block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result: Sendable>(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
    writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
    byAccessor accessor: @escaping @Sendable (URL, URL) throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      [
        .readingIntent(with: readingURL, options: readingOptions),
        .writingIntent(with: writingURL, options: writingOptions),
      ]) { try accessor($0[0], $0[1]) }
  }

  /// Writes two items at once, for example to move one to where the other is.
  ///
  /// - Parameter accessor: runs on a separate thread, where it may block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result: Sendable>(
    writingItemAt url1: URL, options options1: WritingOptions = [],
    writingItemAt url2: URL, options options2: WritingOptions = [],
    byAccessor accessor: @escaping @Sendable (URL, URL) throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      [
        .writingIntent(with: url1, options: options1),
        .writingIntent(with: url2, options: options2),
      ]) { try accessor($0[0], $0[1]) }
  }

  /// Reads and writes any number of items at once.
  ///
  /// - Parameter accessor: runs on a separate thread, where it may block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result: Sendable>(
    with intents: [FileAccessIntent],
    byAccessor accessor: @escaping @Sendable ([URL]) throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      intents
    ) { try accessor($0) }
  }

  /// Acquires many items at once. Accesses to them with this coordinator within `batch` do not wait, and
  /// presenters are asked only once. `batch` runs on a separate thread.
  public func prepare<Result: Sendable>(
    forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
    writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
    byAccessor batch: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await performOnThread(
      Self.intents(
        reading: readingURLs, readingOptions, writing: writingURLs, writingOptions)
    ) { _ in try batch() }
  }

  private func performOnThread<Result: Sendable>(
    _ intents: [FileAccessIntent], _ accessor: @escaping @Sendable ([URL]) throws -> Result
  ) async throws -> Result {
    let grant = try await awaitGrant(intents)
    do {
      return try await Blocking.run { try self.perform(grant, accessor) }
    } catch let error as FileError where error.operation == "pthread_create" {
      // The accessor never ran, so nothing else ends the access.
      domain.end(grant.claim.number, changes: [])
      throw error
    }
  }
}
