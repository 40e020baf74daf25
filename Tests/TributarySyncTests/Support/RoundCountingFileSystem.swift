import Synchronization
import TributaryFiles
import TributaryTesting

/// What another file system does, and what tells the rounds of a watch apart: each ends with a look at the size of
/// the store's write-ahead log.
final class RoundCountingFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  private let count = Mutex(0)

  init(_ base: any FileSystem = LocalFileSystem()) { self.base = base }

  /// Waits for a whole round of a watch that begins after this call.
  func awaitRound() throws {
    let start = count.withLock { $0 }
    // One may be under way, and the steps of a round look there twice at most before its end.
    try eventually { count.withLock { $0 } >= start + 6 }
  }

  func status(_ path: String) throws(FileError) -> FileStatus? {
    if path.hasSuffix("-wal") { count.withLock { $0 += 1 } }
    return try base.status(path)
  }
}
