/// Asks the system what this process may do with a path, without doing it.
package protocol AccessProbe: Sendable {
  /// Checks that this process may use a path in the given way.
  ///
  /// - Throws: `FileError` with EACCES, EROFS, ENOENT or whatever else prevents it.
  func checkAccess(_ path: String, for use: FileUse) throws(FileError)

  /// Returns the status of the file system that a path is on.
  func volume(of path: String) throws(FileError) -> VolumeStatus

  /// Returns the permissions of a path; `nil` if it names nothing.
  func permissions(of path: String) throws(FileError) -> FilePermissions?
}

/// A way of using a path.
package enum FileUse: String, Hashable, Sendable, CaseIterable {
  /// Reading a file's contents, or the names in a directory.
  case read
  /// Writing a file's contents, or creating entries in a directory.
  case write
  /// Accessing what is in a directory.
  case search
}
