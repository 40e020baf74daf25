/// Who learns what a service does. Any thread may call, also several at once for different stores.
package protocol SyncServiceObserver: Sendable {
  /// The store is open, and its first synchronisation comes next.
  func didOpen(_ store: ServedStore)

  /// A synchronisation has done something, or could not.
  ///
  /// - Throws: what `didFail` is then asked about.
  func didReport(_ report: SyncReport, of store: ServedStore) throws

  /// The store itself cannot be used.
  ///
  /// - Returns: whether to try again later.
  func didFail(_ error: any Error, of store: ServedStore) -> Bool

  /// Handles an import: at least once each, one at a time for each store, in the order of the commits. The same one comes
  /// again later if this throws.
  func handle(_ report: SyncReport, of store: ServedStore) throws

  /// An import could not be handled.
  func didFailToHandle(_ error: any Error, of store: ServedStore)
}
