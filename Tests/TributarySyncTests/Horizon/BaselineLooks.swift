import Synchronization
import TributaryFiles

/// The real file system, which counts how often anybody looks for baselines, or opens one.
final class BaselineLooks: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let looks = Mutex(0)
  private let opened = Mutex(0)

  var count: Int { looks.withLock { $0 } }

  /// How often a baseline was opened: once for its header, and once more to read it to its end.
  var openCount: Int { opened.withLock { $0 } }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    if path.contains("/baseline/") { opened.withLock { $0 += 1 } }
    return try base.open(path)
  }

  func list(_ path: String) throws(FileError) -> [DirectoryEntry] {
    if path.hasSuffix("/baseline") { looks.withLock { $0 += 1 } }
    return try base.list(path)
  }
}
