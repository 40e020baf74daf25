import Synchronization
import TributaryFiles

/// The real file system, where something happens just before or after the first listing of a
/// directory.
final class EventfulFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let suffix: String
  private let before: @Sendable () -> Void
  private let after: @Sendable () -> Void
  private let hasHappened = Mutex(false)

  /// - Parameter suffix: of the directory's path.
  init(
    atListing suffix: String, before: @escaping @Sendable () -> Void = {},
    after: @escaping @Sendable () -> Void = {}
  ) {
    self.suffix = suffix
    self.before = before
    self.after = after
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    let isFirst =
      directory.hasSuffix(suffix)
      && hasHappened.withLock { happened in
        defer { happened = true }
        return !happened
      }
    if isFirst { before() }
    let entries = try base.list(directory)
    if isFirst { after() }
    return entries
  }

}
