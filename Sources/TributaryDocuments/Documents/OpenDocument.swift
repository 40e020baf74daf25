public import TributarySync

/// A document whose store is on this device.
public struct OpenDocument: Sendable {
  /// The path of the package, without links.
  public let package: String
  public let metadata: DocumentMetadata
  /// The path of the store.
  public let store: String
  /// The container; `nil` for a document of this device alone.
  public let container: String?
  /// What was done to have the store here; `nil` if it was here and nothing was asked.
  public let report: AttachReport?
}
