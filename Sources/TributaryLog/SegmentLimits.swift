/// The limits of a reader, whatever a file claims. The size of the payload is not limited, since it
/// is never held as a whole.
package struct SegmentLimits: Hashable, Sendable {
  /// The largest row change, in bytes: the largest item held in memory at once.
  package var changeByteCount: Int
  /// The largest size of all schemas and shapes of a segment together, in bytes of payload.
  package var definitionByteCount: Int

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - changeByteCount: by default a little over 1 GiB, which is more than SQLite allows for a
  ///     row.
  ///   - definitionByteCount: by default 8 MiB.
  package init(changeByteCount: Int = 1 << 30 + 1 << 20, definitionByteCount: Int = 8 << 20) {
    self.changeByteCount = changeByteCount
    self.definitionByteCount = definitionByteCount
  }
}
