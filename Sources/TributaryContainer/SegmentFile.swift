public import TributaryFiles

/// A segment that is listed; nothing of it has been read.
public struct SegmentFile: Hashable, Sendable {
  /// The name says what it should hold.
  public var name: SegmentName
  /// The directory it is in.
  public var directory: String

  /// Makes a listed segment.
  public init(name: SegmentName, directory: String) {
    self.name = name
    self.directory = directory
  }

  /// Where it is.
  public var path: String { directory.appending(component: name.description) }

  /// Its present size in bytes, asked for now; `nil` when it is gone.
  public func size(using fileSystem: some FileSystem) throws(FileError) -> UInt64? {
    try fileSystem.status(path)?.size
  }
}
