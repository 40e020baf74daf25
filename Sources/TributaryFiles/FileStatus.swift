/// What the system reports about a file.
package struct FileStatus: Hashable, Sendable {
  /// The size in bytes.
  package var size: UInt64
  /// The kind of file; never a symbolic link, because links are followed.
  package var kind: FileKind
  /// The identity of the file.
  package var identity: FileIdentity
  /// The last change of the contents, in nanoseconds since 1970. Carriers may set it to anything.
  package var modifiedNanoseconds: Int64
  /// The last change of the contents or of the file's metadata, in nanoseconds since 1970. It cannot be set,
  /// so it reveals writes in place that keep the size and the modification time.
  package var changedNanoseconds: Int64

  /// Makes a status.
  package init(
    size: UInt64, kind: FileKind, identity: FileIdentity, modifiedNanoseconds: Int64,
    changedNanoseconds: Int64
  ) {
    self.size = size
    self.kind = kind
    self.identity = identity
    self.modifiedNanoseconds = modifiedNanoseconds
    self.changedNanoseconds = changedNanoseconds
  }

  /// The last change of the contents, in milliseconds since 1970; 0 for times before 1970.
  package var modifiedMilliseconds: UInt64 { UInt64(max(0, modifiedNanoseconds / 1_000_000)) }
}
