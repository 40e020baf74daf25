internal import Glibc
internal import TributaryFiles

/// This process as one that takes part. Its lock tells others that it lives: the kernel releases it when the
/// process ends, however that happens.
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

  /// Whether another process has ended. Only who holds the lock of the table may ask: who asks takes the
  /// other's lock for a moment.
  static func hasEnded(_ process: ProcessRecord, in directory: CoordinationDirectory) -> Bool {
    do throws(FileError) {
      guard let lock = try FileLock.take(directory.life(of: process.identity)) else { return false }
      _ = consume lock
      return true
    } catch {
      guard error.isMissing else { return false }
      // Something has cleaned up. What this process was before counts no more; of another one, a number that is
      // used again only delays.
      return process.number == getpid() || kill(process.number, 0) != 0 && errno == ESRCH
    }
  }

  /// Removes what an ended process has left.
  static func clear(_ identity: String, in directory: CoordinationDirectory) {
    _ = unlink(directory.bell(of: identity))
    _ = unlink(directory.life(of: identity))
  }
}
