import Glibc
import TributaryCore
import TributaryFiles
import TributaryLog

/// A file beside the store that exists only while a baseline is written or read. It removes itself.
struct LocalFile: ~Copyable {
  let path: String
  /// Shows other processes that the file is in use, if only its name keeps them apart.
  private var use: FileLock?

  /// Removes what a killed process has left there.
  init(_ path: String) {
    self.path = path
    remove()
  }

  /// Chooses a name that begins with `prefix` and that no other process uses. Removes files that processes
  /// killed more than an hour ago have left under other names.
  init(unique prefix: String, _ environment: StoreEnvironment) {
    Self.removeStale(prefix + "-", environment)
    self.init(prefix + "-" + UInt64.random(in: 0 ... .max).lowerHex)
    // If the file cannot be made, writing it fails and says why.
    use = try? FileLock.makeAndTake(path, within: .zero)
  }

  private static func removeStale(_ prefix: String, _ environment: StoreEnvironment) {
    let fileSystem = environment.localFiles
    // Files that cannot be examined or removed now are left to the next time.
    let entries = (try? fileSystem.list(prefix.parentDirectory)) ?? []
    for entry in entries {
      let path = prefix.parentDirectory.appending(component: entry.name)
      guard path.utf8.starts(with: prefix.utf8), let status = try? fileSystem.status(path),
        isStale(status)
      else { continue }
      removeUnused(path)
    }
  }

  /// Whether a file under a name that only one process uses may have been left: it is an hour old.
  static func isStale(_ status: FileStatus) -> Bool {
    let now = SystemClock().milliseconds()
    return now > status.modifiedMilliseconds && now - status.modifiedMilliseconds > 3_600_000
  }

  /// Removes a file under a name that only one process uses, or a file of SQLite beside it, unless that process
  /// is still using it.
  static func removeUnused(_ path: String) {
    let database = ends.first { path.hasSuffix($0) }.map { String(path.dropLast($0.count)) } ?? path
    do throws(FileError) {
      guard let use = try FileLock.take(database) else { return }
      _ = unlink(path)
      _ = consume use
    } catch {
      // Without the database, nothing uses what is beside it. What cannot be examined is left to the next time.
      if error.isMissing { _ = unlink(path) }
    }
  }

  /// The ends of the names of SQLite's files beside a database.
  static let ends = ["-wal", "-shm", "-journal"]

  deinit { remove() }

  private func remove() {
    for end in [""] + Self.ends { _ = unlink(path + end) }
  }

  /// Opens the file for writing from the start.
  func write() throws(FileError) -> FileDescriptor {
    try .open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
  }

  /// The number of bytes in the file.
  ///
  /// - Throws: `FileError`; ENOENT if the file was removed.
  var byteCount: UInt64 {
    get throws(FileError) {
      guard let status = try LocalFileSystem().status(path) else { throw .missing(path) }
      return status.size
    }
  }

  /// Opens the file for reading from the start.
  func read() throws(FileError) -> Bytes { Bytes(file: try .open(path, O_RDONLY | O_NOFOLLOW)) }

  /// The bytes of such a file.
  struct Bytes: ByteSource, ~Copyable {
    let file: FileDescriptor

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      try file.read(into: buffer)
    }
  }
}
