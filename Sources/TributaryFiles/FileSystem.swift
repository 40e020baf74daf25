/// The file operations that Tributary uses, so that tests can substitute a hostile file system.
///
/// Paths are absolute or relative to the working directory; a path with a NUL is rejected with EINVAL. No
/// operation waits for another process or takes locks: across machines, locks are unreliable.
package protocol FileSystem: Sendable {
  /// Returns the entries of a directory, without `.` and `..`, in no particular order.
  ///
  /// The list is complete, or the operation throws.
  ///
  /// - Throws: `FileError`, with `isMissing` if there is no such directory.
  func list(_ directory: String) throws(FileError) -> [DirectoryEntry]

  /// Returns the status of a path, following links; `nil` if it names nothing.
  func status(_ path: String) throws(FileError) -> FileStatus?

  /// Returns the statuses of several paths in one call.
  func statuses(_ paths: [String]) throws(FileError) -> [FileStatus?]

  /// Returns a stamp of each directory, which may save a later listing; `nil` if the directory does not exist
  /// or has just changed, or if the file system is not known to note each change.
  func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?]

  /// Returns the absolute path without links, `.` and `..`; `nil` if the path names nothing.
  func resolve(_ path: String) throws(FileError) -> String?

  /// Makes a directory and its missing ancestors, durably. Leaves an existing directory as it is.
  func makeDirectories(_ path: String) throws(FileError)

  /// Makes a directory in an existing one, durably. Leaves an existing directory as it is.
  ///
  /// - Throws: `FileError`, with `isMissing` if the parent does not exist.
  func makeDirectory(_ path: String) throws(FileError)

  /// Makes a directory in an existing one, durably, at a path where there is nothing.
  ///
  /// - Throws: `FileError`, with `isNotEmpty` if something is there: of several processes, only one makes it.
  func makeNewDirectory(_ path: String) throws(FileError)

  /// Opens a regular file for reading from its start.
  ///
  /// - Throws: `FileError`; ELOOP for a symbolic link, because carriers transport links and a link may lead
  ///   anywhere; EINVAL or EISDIR for anything else that is not a regular file.
  func open(_ path: String) throws(FileError) -> any ReadableFile

  /// Returns the contents of a regular file.
  ///
  /// - Throws: what `open` throws; EFBIG if the file holds more than `limit` bytes.
  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]

  /// Makes a new, empty file under a temporary name in an existing directory.
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile

  /// Removes a file or an empty directory. It is not an error if the path names nothing.
  func remove(_ path: String) throws(FileError)

  /// Removes the entries of a directory that no path can name, since their names are not in UTF-8, with
  /// everything in them. The other entries stay.
  ///
  /// - Throws: `FileError` for the first one that cannot be removed. The others are still removed.
  func removeInexactEntries(of directory: String) throws(FileError)

  /// Gives a file or directory another path on the same file system, replacing a file there.
  ///
  /// The change survives a power cut only after `synchronizeDirectory` of both directories.
  func rename(_ path: String, to newPath: String) throws(FileError)

  /// Replaces the contents of a small file, completely or not at all. The new contents need not survive a
  /// power cut.
  ///
  /// Callers must not do this concurrently for the same file.
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError)

  /// Makes the contents of a file survive a power cut.
  ///
  /// Must not be used for a SQLite database or its `-shm` that this process has open: closing the file here
  /// would drop SQLite's locks on it. There are no locks on a WAL.
  func synchronize(_ path: String) throws(FileError)

  /// Makes the entries of a directory survive a power cut.
  func synchronizeDirectory(_ path: String) throws(FileError)
}
