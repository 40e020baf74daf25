package import TributarySync

/// A document whose store is on this device.
package struct OpenDocument: Sendable {
  /// The path of the package, without links.
  package let package: String
  package let metadata: DocumentMetadata
  /// The path of the store.
  package let store: String
  /// The container; `nil` for a document of this device alone.
  package let container: String?
  /// What was done to have the store here; `nil` if it was here and nothing was asked.
  package let report: AttachReport?
}
