/// The file operations that the product uses, so that a hostile file system can stand in for tests.
///
/// Paths are absolute or relative to the working directory; a path with a NUL is refused with
/// EINVAL. No operation waits for another process or takes locks: across machines, locks are
/// unreliable.
package protocol FileSystem: Sendable {
  /// Returns the entries of a directory, without `.` and `..`, in no particular order.
  ///
  /// The list is complete, or the operation throws.
  ///
  /// - Throws: `FileError`, with `isMissing` if there is no such directory.
  func list(_ directory: String) throws(FileError) -> [DirectoryEntry]

  /// Returns the status of a path, following links; `nil` if it names nothing.
  func status(_ path: String) throws(FileError) -> FileStatus?

  /// Returns the status of each path, as the other method does, at once.
  func statuses(_ paths: [String]) throws(FileError) -> [FileStatus?]

  /// Returns a stamp of each directory, by which a later listing may be spared; `nil` for one that is not there, or has
  /// changed a moment ago, and where the file system is not known to note each change.
  func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?]

  /// Returns the absolute path without links, `.` and `..`; `nil` if the path names nothing.
  func resolve(_ path: String) throws(FileError) -> String?

  /// Makes a directory and its missing ancestors, durably. Leaves an existing directory as it is.
  func makeDirectories(_ path: String) throws(FileError)

  /// Makes a directory in an existing one, durably. Leaves an existing directory as it is.
  ///
  /// - Throws: `FileError`, with `isMissing` if the parent does not exist.
  func makeDirectory(_ path: String) throws(FileError)

  /// Makes a directory in an existing one, durably, where nothing is.
  ///
  /// - Throws: `FileError`, with `isNotEmpty` if something is there: of several processes, one alone makes it.
  func makeNewDirectory(_ path: String) throws(FileError)

  /// Opens a regular file for reading from its start.
  ///
  /// - Throws: `FileError`; ELOOP for a symbolic link, because carriers transport links and a link
  ///   leads anywhere; EINVAL or EISDIR for anything else that is not a regular file.
  func open(_ path: String) throws(FileError) -> any ReadableFile

  /// Returns the contents of a regular file.
  ///
  /// - Throws: what `open` throws; EFBIG if the file holds more than `limit` bytes.
  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]

  /// Makes a new, empty file under a temporary name in an existing directory.
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile

  /// Removes a file or an empty directory. It is no error if the path names nothing.
  func remove(_ path: String) throws(FileError)

  /// Removes the entries of a directory to which no path leads, since their names are not in UTF-8, with
  /// everything in them. The others stay.
  ///
  /// - Throws: `FileError` for the first one that stays; the others are gone all the same.
  func removeInexactEntries(of directory: String) throws(FileError)

  /// Gives a file or directory another path on the same file system, replacing a file there.
  ///
  /// The change survives a power cut only after `synchronizeDirectory` of both directories.
  func rename(_ path: String, to newPath: String) throws(FileError)

  /// Replaces the contents of a small file, wholly or not at all. The new contents need not survive
  /// a power cut.
  ///
  /// Callers must not do this concurrently for one file.
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError)

  /// Makes the contents of a file survive a power cut.
  ///
  /// Must not be used for a SQLite database or its `-shm` that this process has open: closing the
  /// file here would drop SQLite's locks on it. A WAL carries no locks.
  func synchronize(_ path: String) throws(FileError)

  /// Makes the entries of a directory survive a power cut.
  func synchronizeDirectory(_ path: String) throws(FileError)
}
