/// A stamp that shows whether a directory has the same names as before: if the stamps taken before two
/// listings are equal, so are the listings.
package struct DirectoryStamp: Hashable, Sendable {
  /// The identity of the directory.
  package var identity: FileIdentity
  /// When an entry was last made, removed or renamed, or anything else was changed, in nanoseconds since
  /// 1970. Unlike the modification time, it cannot be set.
  package var changedNanoseconds: Int64

  /// Makes a stamp.
  package init(identity: FileIdentity, changedNanoseconds: Int64) {
    self.identity = identity
    self.changedNanoseconds = changedNanoseconds
  }
}

extension FileSystem {
  /// Returns no stamps: only listing a directory shows whether it has changed.
  package func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    directories.map { _ in nil }
  }
}
