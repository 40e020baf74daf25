import Synchronization
import TributaryFiles

/// The real file system, which counts how often anybody looks for baselines.
final class BaselineLooks: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let looks = Mutex(0)

  var count: Int { looks.withLock { $0 } }

  func list(_ path: String) throws(FileError) -> [DirectoryEntry] {
    if path.hasSuffix("/baseline") { looks.withLock { $0 += 1 } }
    return try base.list(path)
  }
}
