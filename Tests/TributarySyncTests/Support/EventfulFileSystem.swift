import Synchronization
import TributaryFiles

/// The real file system, where something happens just before or after the first listing of a directory, or just before a
/// file is opened for the first or a later time.
final class EventfulFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let operation: FileOperation
  private let suffix: String
  private let before: @Sendable () -> Void
  private let after: @Sendable () -> Void
  /// How many more such operations come before that.
  private let remaining: Mutex<Int>

  /// - Parameter suffix: of the directory's path.
  init(
    atListing suffix: String, before: @escaping @Sendable () -> Void = {},
    after: @escaping @Sendable () -> Void = {}
  ) {
    operation = .list
    remaining = Mutex(0)
    self.suffix = suffix
    self.before = before
    self.after = after
  }

  /// - Parameters:
  ///   - suffix: of the file's path.
  ///   - time: which of the times that it is opened, 1 for the first.
  init(atOpening suffix: String, time: Int, before: @escaping @Sendable () -> Void) {
    operation = .open
    remaining = Mutex(time - 1)
    self.suffix = suffix
    self.before = before
    after = {}
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    let isDue = isDue(.list, directory)
    if isDue { before() }
    let entries = try base.list(directory)
    if isDue { after() }
    return entries
  }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    if isDue(.open, path) { before() }
    return try base.open(path)
  }

  private func isDue(_ operation: FileOperation, _ path: String) -> Bool {
    guard operation == self.operation, path.hasSuffix(suffix) else { return false }
    return remaining.withLock { remaining in
      remaining -= 1
      return remaining == -1
    }
  }
}
