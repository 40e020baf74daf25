import TributaryCore

/// The totals of a finished segment.
public struct SegmentSummary: Hashable, Sendable {
  /// The content hash, as in the file's name.
  public let contentHash: UInt64
  /// The size of the file.
  public let byteCount: UInt64
  /// The number of transactions.
  public let recordCount: UInt64
  /// The number of row changes.
  public let changeCount: UInt64
  /// The size of the payload before compression, in bytes.
  public let payloadSize: UInt64
}
