import TributaryCore

/// Selects the transactions that the index lists: the first one that begins in each stretch of
/// payload.
struct IndexBuilder {
  private var nextStretch: UInt64 = 0

  /// Returns the entry for a transaction; `nil` if its stretch already has one. Offsets must
  /// ascend.
  mutating func entry(
    for sequence: SequenceNumber, at offset: UInt64
  ) -> SegmentTrailer.IndexEntry? {
    let stretch = offset / LogFormat.indexStride
    guard stretch >= nextStretch else { return nil }
    nextStretch = stretch + 1
    return SegmentTrailer.IndexEntry(sequence: sequence, offset: offset)
  }
}
