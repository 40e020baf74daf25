/// What tells whether a directory has the same names as before: two listings with equal stamps before them are equal.
package struct DirectoryStamp: Hashable, Sendable {
  /// The identity of the directory.
  package var identity: FileIdentity
  /// When an entry was last made, removed or renamed, or anything else was changed, in nanoseconds since 1970. Unlike
  /// the time of modification, nobody can set it.
  package var changedNanoseconds: Int64

  /// Makes a stamp.
  package init(identity: FileIdentity, changedNanoseconds: Int64) {
    self.identity = identity
    self.changedNanoseconds = changedNanoseconds
  }
}

extension FileSystem {
  /// Returns none: whether a directory has changed shows only by listing it.
  package func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    directories.map { _ in nil }
  }
}
