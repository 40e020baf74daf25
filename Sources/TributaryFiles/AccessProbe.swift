/// Asks the system what may be done with a path, without doing any of it.
public protocol AccessProbe: Sendable {
  /// Makes sure that this process may use a path so.
  ///
  /// - Throws: `FileError`: EACCES, EROFS, ENOENT and whatever else stands in the way.
  func checkAccess(_ path: String, for use: FileUse) throws(FileError)

  /// What the system says of the file system that a path is on.
  func volume(of path: String) throws(FileError) -> VolumeStatus

  /// Who may do what with a path; `nil` when it names nothing.
  func permissions(of path: String) throws(FileError) -> FilePermissions?
}

/// What a path is wanted for.
public enum FileUse: String, Hashable, Sendable, CaseIterable {
  /// A file's contents, or the names in a directory.
  case read
  /// Contents; in a directory new names.
  case write
  /// What lies in a directory.
  case search
}
