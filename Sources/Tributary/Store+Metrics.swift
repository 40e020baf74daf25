public import TributarySync

extension Store {
  /// Returns what the store has done since it was opened, and its state when it last synchronised. It reads
  /// no file and never waits.
  ///
  /// ```swift
  /// var text = MetricsText()
  /// text.add([(store.path, store.metrics())], now: UInt64(Date().timeIntervalSince1970 * 1000))
  /// ```
  public func metrics() -> StoreMetrics { session.metrics() }
}
