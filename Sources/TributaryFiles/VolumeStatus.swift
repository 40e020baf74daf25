/// The free space of a file system, and whether it can be written.
package struct VolumeStatus: Hashable, Sendable {
  /// The number of bytes that this process may still use.
  package var availableByteCount: UInt64
  /// The number of files that this process may still create; `nil` if there is no such limit.
  package var availableFileCount: UInt64?
  /// Whether the file system is mounted read-only.
  package var isReadOnly: Bool

  /// Makes a status.
  package init(availableByteCount: UInt64, availableFileCount: UInt64? = nil, isReadOnly: Bool) {
    self.availableByteCount = availableByteCount
    self.availableFileCount = availableFileCount
    self.isReadOnly = isReadOnly
  }
}
