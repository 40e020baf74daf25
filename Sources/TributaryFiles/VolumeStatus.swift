/// How much room there is on a file system, and whether it may be written.
public struct VolumeStatus: Hashable, Sendable {
  /// Bytes that this process may still use.
  public var availableByteCount: UInt64
  /// Files that this process may still make; `nil` where there is no such limit.
  public var availableFileCount: UInt64?
  /// Mounted read-only.
  public var isReadOnly: Bool

  /// Makes a status.
  public init(availableByteCount: UInt64, availableFileCount: UInt64? = nil, isReadOnly: Bool) {
    self.availableByteCount = availableByteCount
    self.availableFileCount = availableFileCount
    self.isReadOnly = isReadOnly
  }
}
