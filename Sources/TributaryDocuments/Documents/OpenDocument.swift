package import TributarySync

/// A document whose store is on this device.
package struct OpenDocument: Sendable {
  /// The path of the package, without links.
  package let package: String
  package let metadata: DocumentMetadata
  /// The path of the store.
  package let store: String
  /// The container; `nil` for a document that is only on this device.
  package let container: String?
  /// What was done to get the store onto this device; `nil` if it was there and nothing was
  /// requested.
  package let report: AttachReport?
}
