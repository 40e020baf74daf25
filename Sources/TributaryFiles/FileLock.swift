internal import Glibc

/// A lock on a file of this machine, among its processes and threads; the system releases it when
/// its holder dies. It says nothing to those who do not ask for it. *flock(2)*
///
/// Never for a file of a container: across machines locks lie.
public struct FileLock: ~Copyable {
  private let descriptor: FileDescriptor

  /// Takes the lock, or finds it taken.
  ///
  /// - Returns: `nil` when somebody else has it.
  /// - Throws: `FileError`, `isMissing` when there is no such file.
  public static func take(_ path: String) throws(FileError) -> FileLock? {
    try take(FileDescriptor.open(path, O_RDONLY), path)
  }

  /// The same, waiting for it for a while.
  public static func take(_ path: String, within limit: Duration) throws(FileError) -> FileLock? {
    try poll(within: limit) { () throws(FileError) in try take(path) }
  }

  /// Takes the lock on a file that is made for this and removed by `removeAndRelease`, waiting for
  /// it for a while.
  ///
  /// - Returns: `nil` when somebody else has it all the time.
  public static func makeAndTake(
    _ path: String, within limit: Duration
  ) throws(FileError) -> FileLock? {
    try poll(within: limit) { () throws(FileError) in try makeAndTake(path) }
  }

  private static func poll(
    within limit: Duration, _ attempt: () throws(FileError) -> FileLock?
  ) throws(FileError) -> FileLock? {
    let end = ContinuousClock.now + limit
    var pause: UInt32 = 500
    while true {
      if let lock = try attempt() { return lock }
      if ContinuousClock.now >= end { return nil }
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
      // Whoever had it before may have removed the file after we opened it.
      if stat(path, &present) == 0, present.st_ino == held.st_ino, present.st_dev == held.st_dev {
        return lock
      }
    }
  }

  /// Removes the file and lets others make it anew.
  public consuming func removeAndRelease() {
    // What stays is locked and removed by the next one.
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
