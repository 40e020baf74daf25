internal import Glibc
internal import TributaryFiles

/// The file of the table. Changes happen one at a time, under a kernel lock. Each replaces the whole file, so
/// a process that is killed meanwhile leaves the table unchanged.
struct TableFile: ~Copyable, Sendable {
  private let directory: CoordinationDirectory
  private let mutex: FileDescriptor

  /// More than the claims of a very busy machine.
  private static let byteLimit = 64 << 20

  init(_ directory: CoordinationDirectory) throws(CoordinationError) {
    mutex = try Self.open(directory)
    self.directory = directory
  }

  private static func open(
    _ directory: CoordinationDirectory
  ) throws(CoordinationError) -> FileDescriptor {
    try directory.make()
    do {
      return try FileDescriptor.open(
        directory.mutex, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    } catch {
      throw CoordinationError(error)
    }
  }

  /// Whether the lock file is no longer where others look for it.
  var isOrphaned: Bool {
    var held = stat()
    var present = stat()
    return fstat(mutex.number, &held) != 0 || stat(directory.mutex, &present) != 0
      || held.st_ino != present.st_ino || held.st_dev != present.st_dev
  }

  /// Takes the lock, waiting for it if necessary. A process that has it changes the table and releases it at
  /// once.
  func lock() throws(CoordinationError) {
    let number = mutex.number
    do {
      try systemCall("flock", on: mutex.path) { flock(number, LOCK_EX) }
    } catch {
      throw CoordinationError(error)
    }
  }

  func unlock() { _ = flock(mutex.number, LOCK_UN) }

  /// Returns the table as last written by any process. It may be read without the lock.
  func read() throws(CoordinationError) -> CoordinationTable {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try LocalFileSystem().read(directory.table, limit: Self.byteLimit)
    } catch {
      if error.isMissing { return CoordinationTable() }
      throw CoordinationError(error)
    }
    return try CoordinationTable(encoded: bytes, path: directory.table)
  }

  func write(_ table: CoordinationTable) throws(CoordinationError) {
    do {
      try LocalFileSystem().replace(directory.table, with: table.encoded)
    } catch {
      throw CoordinationError(error)
    }
  }
}
