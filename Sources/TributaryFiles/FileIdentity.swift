/// The identity of a file, independent of its path: two paths that lead to the same file have equal
/// identities.
package struct FileIdentity: Hashable, Sendable {
  /// The number of the device.
  package var device: UInt64
  /// The number of the file on its device.
  package var inode: UInt64

  /// Makes an identity.
  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
