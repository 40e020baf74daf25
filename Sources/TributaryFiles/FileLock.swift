internal import Glibc

/// A lock on a file of this machine, among its processes and threads. The system releases it when
/// its holder dies. It is advisory: only programs that ask for it respect it. *flock(2)*
///
/// Never use it on a file of a container: across machines, locks are unreliable.
package struct FileLock: ~Copyable {
  private let descriptor: FileDescriptor

  /// Takes the lock if it is free.
  ///
  /// - Returns: `nil` if it is taken.
  /// - Throws: `FileError`, with `isMissing` if there is no such file.
  package static func take(_ path: String) throws(FileError) -> FileLock? {
    try take(FileDescriptor.open(path, O_RDONLY), path)
  }

  /// Takes the lock, waiting for it at most this long.
  package static func take(_ path: String, within limit: Duration) throws(FileError) -> FileLock? {
    try poll(within: limit, unless: never) { () throws(FileError) in try take(path) }
  }

  private static func never() -> Bool { false }

  /// Takes the lock on a file that is created for this purpose and removed by `removeAndRelease`.
  /// Waits for it at most this long.
  ///
  /// - Parameter isOver: called repeatedly; returns whether to stop waiting.
  /// - Returns: `nil` if the lock was taken all the time.
  package static func makeAndTake(
    _ path: String, within limit: Duration, unless isOver: () -> Bool = { false }
  ) throws(FileError) -> FileLock? {
    try poll(within: limit, unless: isOver) { () throws(FileError) in try makeAndTake(path) }
  }

  private static func poll(
    within limit: Duration, unless isOver: () -> Bool, _ attempt: () throws(FileError) -> FileLock?
  ) throws(FileError) -> FileLock? {
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 500
    while true {
      if let lock = try attempt() { return lock }
      if ContinuousClock.now >= end || isOver() { return nil }
      usleep(pause)
      pause = min(pause * 2, 20_000)
    }
  }

  private static func makeAndTake(_ path: String) throws(FileError) -> FileLock? {
    while true {
      let descriptor = try FileDescriptor.open(path, O_RDONLY | O_CREAT | O_NOFOLLOW)
      let number = descriptor.number
      var held = stat()
      try systemCall("fstat", on: path) { fstat(number, &held) }
      guard let lock = try take(descriptor, path) else { return nil }
      var present = stat()
      // The former holder may have removed the file after this process opened it.
      if stat(path, &present) == 0, present.st_ino == held.st_ino, present.st_dev == held.st_dev {
        return lock
      }
    }
  }

  /// Removes the file and releases the lock, so that others can create the file again.
  package consuming func removeAndRelease() {
    // The next holder locks and removes a file that remains.
    _ = unlink(descriptor.path)
  }

  private static func take(
    _ descriptor: consuming FileDescriptor, _ path: String
  ) throws(FileError) -> FileLock? {
    let number = descriptor.number
    do throws(FileError) {
      try systemCall("flock", on: path) { flock(number, LOCK_EX | LOCK_NB) }
    } catch {
      guard error.code == EWOULDBLOCK else { throw error }
      return nil
    }
    return FileLock(descriptor: descriptor)
  }
}
