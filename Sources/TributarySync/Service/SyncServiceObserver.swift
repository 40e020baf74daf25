/// Receives what a service does. Calls may come from any thread, also from several at once for different
/// stores.
package protocol SyncServiceObserver: Sendable {
  /// The store is open, and its first synchronisation comes next.
  func didOpen(_ store: ServedStore)

  /// A synchronisation has done something, or could not.
  ///
  /// - Throws: an error about which `didFail` is then asked.
  func didReport(_ report: SyncReport, of store: ServedStore) throws

  /// The store itself cannot be used.
  ///
  /// - Returns: whether to try again later.
  func didFail(_ error: any Error, of store: ServedStore) -> Bool

  /// Handles an import: each at least once, one at a time for each store, in the order of the commits. If
  /// this throws, the same import is passed again later.
  func handle(_ report: SyncReport, of store: ServedStore) throws

  /// An import could not be handled.
  func didFailToHandle(_ error: any Error, of store: ServedStore)
}
