/// The free space of a file system, and whether it can be written.
public struct VolumeStatus: Hashable, Sendable {
  /// The number of bytes that this process may still use.
  public var availableByteCount: UInt64
  /// The number of files that this process may still create; `nil` if there is no such limit.
  public var availableFileCount: UInt64?
  /// Whether the file system is mounted read-only.
  public var isReadOnly: Bool

  /// Makes a status.
  public init(availableByteCount: UInt64, availableFileCount: UInt64? = nil, isReadOnly: Bool) {
    self.availableByteCount = availableByteCount
    self.availableFileCount = availableFileCount
    self.isReadOnly = isReadOnly
  }
}
