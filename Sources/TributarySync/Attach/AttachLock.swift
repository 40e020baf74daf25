import TributaryFiles

/// Prevents two processes from making one store at the same time, of which only the last one would
/// stay.
///
/// It is a lock on a file beside the store that is removed afterwards; the system releases it when
/// a process dies.
final class AttachLock {
  private var lock: FileLock?

  /// As long as writers wait for each other.
  private static let limit = Duration.seconds(5)

  /// Waits for the lock.
  ///
  /// - Throws: `SyncError.inUse` if another process held it for too long.
  init(_ store: String) throws(SyncError) {
    let path = store + "-tributary-attaching"
    let isFree: Bool
    do {
      lock = try FileLock.makeAndTake(path, within: Self.limit)
      isFree = lock != nil
    } catch {
      // If no file can be made, no store can be made either, and the attempt itself will say why.
      isFree = true
    }
    guard isFree else {
      throw SyncError(
        .inUse, "another process is attaching it", path: store,
        remedy: "wait until that one is done, then try again")
    }
  }

  func release() { lock.take()?.removeAndRelease() }
}
