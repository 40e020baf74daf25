internal import Glibc

extension LocalFileSystem {
  /// Returns the status of a path itself, even if it is a symbolic link; `nil` if it names nothing.
  /// *lstat(2)*
  package func statusOfEntry(_ path: String) throws(FileError) -> FileStatus? {
    var status = stat()
    do {
      try systemCall("lstat", on: path) { lstat(path, &status) }
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    return FileStatus(status)
  }
}
