import TributaryCore

/// The totals of a finished segment.
package struct SegmentSummary: Hashable, Sendable {
  /// The content hash, as in the file's name.
  package let contentHash: UInt64
  /// The size of the file.
  package let byteCount: UInt64
  /// The number of transactions.
  package let recordCount: UInt64
  /// The number of row changes.
  package let changeCount: UInt64
  /// The size of the payload before compression, in bytes.
  package let payloadSize: UInt64
}
