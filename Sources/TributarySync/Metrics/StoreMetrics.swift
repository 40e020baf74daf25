/// What a session has done since it was opened, and the state of its store at the last synchronisation.
///
/// Reading these metrics reads no file. Times are in milliseconds.
public struct StoreMetrics: Equatable, Sendable {
  /// The number of own transactions that were published.
  public var publishedTransactions: UInt64 = 0
  /// The number of segments that were published.
  public var publishedSegments: UInt64 = 0
  /// The size of these segments in bytes.
  public var publishedBytes: UInt64 = 0
  /// The number of synchronisations that imported something.
  public var imports: UInt64 = 0
  /// The number of transactions of other stores that were imported.
  public var importedTransactions: UInt64 = 0
  /// The number of rows that these have changed, as far as they were counted.
  public var importedRows: UInt64 = 0
  /// The number of synchronisations that something prevented, wholly or in part.
  public var errors: UInt64 = 0

  /// The number of own transactions that are in no published segment.
  public var unpublished = 0
  /// The number of peers from which something has arrived that cannot be imported yet.
  public var waiting = 0
  /// When the longest-waiting of these began to wait, since 1970; `nil` if none waits.
  public var waitingSince: UInt64?
  /// The number of open conflicts.
  public var conflicts = 0
  /// The number of files that are set aside because they are damaged.
  public var damaged = 0
  /// The time from the commit of the last imported transaction, by its author's clock, to its import here, by
  /// this device's clock; `nil` before the first import.
  public var lag: UInt64?
  /// The time of the last synchronisation that nothing prevented, since 1970; `nil` before the first.
  public var lastSuccess: UInt64?
  /// Since when every synchronisation has been prevented, since 1970; `nil` if the last one was not.
  public var failingSince: UInt64?

  /// Creates the metrics of a session that has done nothing yet.
  public init() {}
}

extension StoreMetrics {
  /// Returns what both sessions have done, and the state of the store after the later one.
  func adding(_ later: StoreMetrics) -> StoreMetrics {
    var sum = later
    sum.publishedTransactions += publishedTransactions
    sum.publishedSegments += publishedSegments
    sum.publishedBytes += publishedBytes
    sum.imports += imports
    sum.importedTransactions += importedTransactions
    sum.importedRows += importedRows
    sum.errors += errors
    sum.lag = later.lag ?? lag
    sum.lastSuccess = later.lastSuccess ?? lastSuccess
    // Until a synchronisation succeeds again, the store counts as failing.
    if later.lastSuccess == nil { sum.failingSince = failingSince ?? later.failingSince }
    return sum
  }
}
