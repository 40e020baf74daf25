public import FoundationEssentials

// For asynchronous code whose accessors are asynchronous too.
extension FileCoordinator {
  /// Reads an item.
  ///
  /// - Parameter accessor: runs in the calling task, and should not block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result>(
    readingItemAt url: URL, options: ReadingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    byAccessor accessor: (URL) async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      [.readingIntent(with: url, options: options)], isolation: isolation
    ) { try await accessor($0[0]) }
  }

  /// Writes an item.
  ///
  /// - Parameter accessor: runs in the calling task, and should not block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result>(
    writingItemAt url: URL, options: WritingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    byAccessor accessor: (URL) async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      [.writingIntent(with: url, options: options)], isolation: isolation
    ) { try await accessor($0[0]) }
  }

  /// Reads one item and writes another, at once.
  ///
  /// - Parameter accessor: runs in the calling task, and should not block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result>(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
    writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    byAccessor accessor: (URL, URL) async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      [
        .readingIntent(with: readingURL, options: readingOptions),
        .writingIntent(with: writingURL, options: writingOptions),
      ], isolation: isolation
    ) { try await accessor($0[0], $0[1]) }
  }

  /// Writes two items at once, for example to move one to where the other is.
  ///
  /// - Parameter accessor: runs in the calling task, and should not block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result>(
    writingItemAt url1: URL, options options1: WritingOptions = [],
    writingItemAt url2: URL, options options2: WritingOptions = [],
    isolation: isolated (any Actor)? = #isolation,
    byAccessor accessor: (URL, URL) async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      [
        .writingIntent(with: url1, options: options1),
        .writingIntent(with: url2, options: options2),
      ], isolation: isolation
    ) { try await accessor($0[0], $0[1]) }
  }

  /// Reads and writes any number of items at once.
  ///
  /// - Parameter accessor: runs in the calling task, and should not block.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()` or if the task is cancelled while it waits; `CoordinationError`.
  public func coordinate<Result>(
    with intents: [FileAccessIntent],
    isolation: isolated (any Actor)? = #isolation,
    byAccessor accessor: ([URL]) async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      intents, isolation: isolation
    ) { try await accessor($0) }
  }

  /// Acquires many items at once. Accesses to them with this coordinator within `batch` do not wait, and
  /// presenters are asked only once. `batch` runs in the calling task.
  public func prepare<Result>(
    forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
    writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
    isolation: isolated (any Actor)? = #isolation, byAccessor batch: () async throws -> Result
  ) async throws -> Result {
    try await performInTask(
      Self.intents(
        reading: readingURLs, readingOptions, writing: writingURLs, writingOptions),
      isolation: isolation
    ) { _ in try await batch() }
  }

  private func performInTask<Result>(
    _ intents: [FileAccessIntent], isolation: isolated (any Actor)?,
    _ accessor: ([URL]) async throws -> Result
  ) async throws -> Result {
    let grant = try await awaitGrant(intents)
    let existing = try await Blocking.run { try self.begin(grant) }
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await CoordinationFlow.$claims.withValue(
          flow(of: grant), operation: { try await accessor(grant.urls) }, isolation: isolation))
    } catch {
      result = .failure(error)
    }
    do {
      try await Blocking.run { self.end(grant, existing: existing) }
    } catch {
      // No thread can be made. The access must still end.
      end(grant, existing: existing)
    }
    return try result.get()
  }
}
