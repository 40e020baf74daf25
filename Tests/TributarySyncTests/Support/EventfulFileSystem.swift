import Synchronization
import TributaryFiles

/// The real file system, where something happens just before or after the first listing of a
/// directory.
final class EventfulFileSystem: FileSystem {
  private let files = LocalFileSystem()
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
    let entries = try files.list(directory)
    if isFirst { after() }
    return entries
  }

  func status(_ path: String) throws(FileError) -> FileStatus? { try files.status(path) }
  func resolve(_ path: String) throws(FileError) -> String? { try files.resolve(path) }
  func makeDirectories(_ path: String) throws(FileError) { try files.makeDirectories(path) }
  func open(_ path: String) throws(FileError) -> any ReadableFile { try files.open(path) }
  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try files.read(path, limit: limit)
  }
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try files.makeTemporary(in: directory)
  }
  func remove(_ path: String) throws(FileError) { try files.remove(path) }
  func rename(_ path: String, to newPath: String) throws(FileError) {
    try files.rename(path, to: newPath)
  }
  func synchronize(_ path: String) throws(FileError) { try files.synchronize(path) }
  func synchronizeDirectory(_ path: String) throws(FileError) {
    try files.synchronizeDirectory(path)
  }
}
