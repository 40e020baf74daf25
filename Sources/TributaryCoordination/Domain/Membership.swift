internal import Glibc
internal import TributaryFiles

/// This process as a participant. Its lock shows others that it is alive: the kernel releases it when the
/// process ends, in whatever way.
struct Membership: ~Copyable, Sendable {
  private let life: FileDescriptor

  /// - Parameter identity: a file name that no other process uses.
  init(_ identity: String, in directory: CoordinationDirectory) throws(FileError) {
    life = try Self.begin(directory.life(of: identity), bell: directory.bell(of: identity))
  }

  private static func begin(_ path: String, bell: String) throws(FileError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    let life = try FileDescriptor.open(path, flags, mode: 0o600)
    let number = life.number
    try systemCall("flock", on: path) { flock(number, LOCK_EX | LOCK_NB) }
    try FileDescriptor.open(bell, flags, mode: 0o600).close()
    return life
  }

  /// Whether another process has ended. Only the holder of the table's lock may call this, because it takes
  /// the other process's lock for a moment.
  static func hasEnded(_ process: ProcessRecord, in directory: CoordinationDirectory) -> Bool {
    do throws(FileError) {
      guard let lock = try FileLock.take(directory.life(of: process.identity)) else { return false }
      _ = consume lock
      return true
    } catch {
      guard error.isMissing else { return false }
      // Something has removed the file. A former identity of this process no longer counts. For another
      // process, a reused process number only delays noticing that it has ended.
      return process.number == getpid() || kill(process.number, 0) != 0 && errno == ESRCH
    }
  }

  /// Removes what an ended process has left behind.
  static func clear(_ identity: String, in directory: CoordinationDirectory) {
    _ = unlink(directory.bell(of: identity))
    _ = unlink(directory.life(of: identity))
  }
}
