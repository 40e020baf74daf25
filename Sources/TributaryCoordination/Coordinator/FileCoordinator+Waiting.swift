public import FoundationEssentials

// For code that is not asynchronous.
extension FileCoordinator {
  /// Reads an item. The calling thread waits.
  ///
  /// - Parameter accessor: uses the items at the URLs passed to it.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()`; `CoordinationError`.
  public func coordinate<Result>(
    readingItemAt url: URL, options: ReadingOptions = [],
    byAccessor accessor: (URL) throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant([.readingIntent(with: url, options: options)])
    ) { try accessor($0[0]) }
  }

  /// Writes an item. The calling thread waits.
  ///
  /// - Parameter accessor: uses the items at the URLs passed to it.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()`; `CoordinationError`.
  public func coordinate<Result>(
    writingItemAt url: URL, options: WritingOptions = [],
    byAccessor accessor: (URL) throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant([.writingIntent(with: url, options: options)])
    ) { try accessor($0[0]) }
  }

  /// Reads one item and writes another, at once. The calling thread waits.
  ///
  /// - Parameter accessor: uses the items at the URLs passed to it.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()`; `CoordinationError`.
  public func coordinate<Result>(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
    writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
    byAccessor accessor: (URL, URL) throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant([
        .readingIntent(with: readingURL, options: readingOptions),
        .writingIntent(with: writingURL, options: writingOptions),
      ])
    ) { try accessor($0[0], $0[1]) }
  }

  /// Writes two items at once, for example to move one to where the other is. The calling thread waits.
  ///
  /// - Parameter accessor: uses the items at the URLs passed to it.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()`; `CoordinationError`.
  public func coordinate<Result>(
    writingItemAt url1: URL, options options1: WritingOptions = [],
    writingItemAt url2: URL, options options2: WritingOptions = [],
    byAccessor accessor: (URL, URL) throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant([
        .writingIntent(with: url1, options: options1),
        .writingIntent(with: url2, options: options2),
      ])
    ) { try accessor($0[0], $0[1]) }
  }

  /// Reads and writes any number of items at once. The calling thread waits.
  ///
  /// - Parameter accessor: uses the items at the URLs passed to it.
  /// - Returns: what the accessor returns.
  /// - Throws: what the accessor throws; `CancellationError` after `cancel()`; `CoordinationError`.
  public func coordinate<Result>(
    with intents: [FileAccessIntent],
    byAccessor accessor: ([URL]) throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant(intents)
    ) { try accessor($0) }
  }

  /// Acquires many items at once. Accesses to them with this coordinator within `batch` do not wait, and
  /// presenters are asked only once. The calling thread waits.
  public func prepare<Result>(
    forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
    writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
    byAccessor batch: () throws -> Result
  ) throws -> Result {
    try perform(
      waitForGrant(
        Self.intents(
          reading: readingURLs, readingOptions, writing: writingURLs, writingOptions))
    ) { _ in try batch() }
  }
}
