/// The operations on files that the product uses, so that another, unkind file system can stand in.
///
/// Paths are absolute or relative to the working directory; one with a NUL is refused with EINVAL.
/// No operation waits for another process, and none takes locks: across machines they lie.
public protocol FileSystem: Sendable {
  /// The entries of a directory, without `.` and `..`, in no particular order.
  ///
  /// All of them or an error, never a part.
  ///
  /// - Throws: `FileError`, `isMissing` when there is no such directory.
  func list(_ directory: String) throws(FileError) -> [DirectoryEntry]

  /// What the system knows of a path, links followed; `nil` when it names nothing.
  func status(_ path: String) throws(FileError) -> FileStatus?

  /// The absolute path without links, `.` and `..`; `nil` when it names nothing.
  func resolve(_ path: String) throws(FileError) -> String?

  /// Makes a directory and those above it, durably; an existing one is left as it is.
  func makeDirectories(_ path: String) throws(FileError)

  /// Makes a directory in one that is there, durably; an existing one is left as it is.
  ///
  /// - Throws: `FileError`, `isMissing` when the directory above is not there.
  func makeDirectory(_ path: String) throws(FileError)

  /// Opens a regular file for reading from its start.
  ///
  /// - Throws: `FileError`; ELOOP for a symbolic link, because carriers transport links and a link
  ///   leads anywhere; EINVAL or EISDIR for anything else that is not a regular file.
  func open(_ path: String) throws(FileError) -> any ReadableFile

  /// The contents of a regular file.
  ///
  /// - Throws: as `open`; EFBIG when it holds more than `limit` bytes.
  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]

  /// A new, empty file under a temporary name in the directory, which must exist.
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile

  /// Removes a file or an empty directory; one that is missing already is no error.
  func remove(_ path: String) throws(FileError)

  /// Gives a file or directory another path on the same file system; a file there is replaced.
  ///
  /// Survives a power cut only after `synchronizeDirectory` of both directories.
  func rename(_ path: String, to newPath: String) throws(FileError)

  /// Gives a small file new contents, whole or not at all; they need not survive a power cut.
  ///
  /// Only one at a time may do that for one file.
  func replace(_ path: String, with bytes: [UInt8]) throws(FileError)

  /// Makes the contents of a file survive a power cut.
  ///
  /// Not for a SQLite database, nor its `-shm`, that this process has open: closing the file here
  /// would drop the locks that SQLite holds on it. Its WAL carries no locks.
  func synchronize(_ path: String) throws(FileError)

  /// Makes the entries of a directory survive a power cut.
  func synchronizeDirectory(_ path: String) throws(FileError)
}
