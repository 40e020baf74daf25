/// What the system says about a file.
public struct FileStatus: Hashable, Sendable {
  /// In bytes.
  public var size: UInt64
  /// Never a symbolic link: links are followed.
  public var kind: FileKind
  /// Which file it is.
  public var identity: FileIdentity
  /// The last change of the contents, in nanoseconds since 1970; carriers set it to anything.
  public var modifiedNanoseconds: Int64

  /// Makes a status.
  public init(size: UInt64, kind: FileKind, identity: FileIdentity, modifiedNanoseconds: Int64) {
    self.size = size
    self.kind = kind
    self.identity = identity
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// The last change of the contents, in milliseconds since 1970; 0 for anything before.
  public var modifiedMilliseconds: UInt64 { UInt64(max(0, modifiedNanoseconds / 1_000_000)) }
}
