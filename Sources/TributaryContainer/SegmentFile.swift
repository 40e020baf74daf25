import TributaryFiles

/// A listed segment, of which nothing has been read.
package struct SegmentFile: Hashable, Sendable {
  /// The name, which says what the segment should contain.
  package var name: SegmentName
  /// The directory that contains the segment.
  package var directory: String

  /// Makes a listed segment.
  package init(name: SegmentName, directory: String) {
    self.name = name
    self.directory = directory
  }

  /// The path of the segment.
  package var path: String { directory.appending(component: name.description) }

  /// Returns the current size in bytes; `nil` if the file is gone.
  package func size(using fileSystem: some FileSystem) throws(FileError) -> UInt64? {
    try fileSystem.status(path)?.size
  }
}
