/// What a service has done for one store, over all its sessions.
package struct ServiceMetrics: Sendable {
  package var store: StoreMetrics
  /// The number of imports that wait to be handled.
  package var queued: UInt64 = 0
  /// The number of imports that were handled.
  package var handled: UInt64 = 0
  /// The number of failed attempts to handle an import.
  package var handlingErrors: UInt64 = 0
  /// Whether the store handles imports.
  package var handles = false
  /// Whether the store is open, or closed only until something happens.
  package var isOpen = false
}
