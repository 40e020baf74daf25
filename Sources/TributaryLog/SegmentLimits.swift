/// The most that a reader takes, whatever a file claims. The size of the payload has no limit: it
/// is never held as a whole.
public struct SegmentLimits: Hashable, Sendable {
  /// The largest row change, in bytes: what may be held in memory at once.
  public var changeByteCount: Int
  /// All schemas and shapes of a segment together, in bytes of payload.
  public var definitionByteCount: Int

  /// - Parameters:
  ///   - changeByteCount: by default a little over 1 GiB, more than SQLite allows a row to have.
  ///   - definitionByteCount: by default 8 MiB.
  public init(changeByteCount: Int = 1 << 30 + 1 << 20, definitionByteCount: Int = 8 << 20) {
    self.changeByteCount = changeByteCount
    self.definitionByteCount = definitionByteCount
  }
}
