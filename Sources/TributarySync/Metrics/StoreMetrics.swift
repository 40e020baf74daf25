/// What a session has done since it was opened, and how its store stood when it last synchronised.
///
/// Taking them reads no file. Times are in milliseconds.
public struct StoreMetrics: Equatable, Sendable {
  /// The own transactions that were published.
  public var publishedTransactions: UInt64 = 0
  /// The segments that were published.
  public var publishedSegments: UInt64 = 0
  /// The bytes of these segments.
  public var publishedBytes: UInt64 = 0
  /// The synchronisations that imported something.
  public var imports: UInt64 = 0
  /// The transactions of other stores that were imported.
  public var importedTransactions: UInt64 = 0
  /// The rows that these have changed, as far as they were counted.
  public var importedRows: UInt64 = 0
  /// The synchronisations that something prevented, wholly or in part.
  public var errors: UInt64 = 0

  /// The own transactions that are in no published segment.
  public var unpublished = 0
  /// The peers that have sent something that cannot be imported yet.
  public var waiting = 0
  /// Since when the longest of these waits, since 1970; `nil` if none does.
  public var waitingSince: UInt64?
  /// The open conflicts.
  public var conflicts = 0
  /// The files that are set aside because they are damaged.
  public var damaged = 0
  /// The time from the commit of the last transaction that was imported, by its author's clock, to its import here, by
  /// the clock here; `nil` before the first.
  public var lag: UInt64?
  /// The time of the last synchronisation that nothing prevented, since 1970; `nil` before the first.
  public var lastSuccess: UInt64?
  /// Since when every synchronisation was prevented, since 1970; `nil` if the last one was not.
  public var failingSince: UInt64?

  /// Makes the metrics of a session that has done nothing yet.
  public init() {}
}

extension StoreMetrics {
  /// Returns what both have done, and how the store stood after the other.
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
    // Until it has succeeded again, it goes on failing.
    if later.lastSuccess == nil { sum.failingSince = failingSince ?? later.failingSince }
    return sum
  }
}
