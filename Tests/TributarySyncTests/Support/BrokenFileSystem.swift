import Glibc
import Synchronization
import TributaryFiles

/// The real file system, where all operations of a kind fail below some directory as long as they are told to,
/// and where something else may happen with each.
final class BrokenFileSystem: FileSystem {
  enum Operations {
    case reading, writing
  }

  private let files = LocalFileSystem()
  private let part: String
  private let broken = Mutex<(code: Int32, operations: [Operations])?>(nil)

  /// - Parameter part: of the paths where operations fail.
  init(inPathsWith part: String) { self.part = part }

  func fail(_ operations: [Operations], code: Int32) {
    broken.withLock { $0 = (code, operations) }
  }

  private let companion = Mutex<(@Sendable () -> Void)?>(nil)

  /// Has something happen before every operation below that directory; `nil` for nothing.
  func beforeEach(_ body: (@Sendable () -> Void)?) { companion.withLock { $0 = body } }

  func mend() { broken.withLock { $0 = nil } }

  fileprivate func check(
    _ operation: String, _ path: String, _ kind: Operations
  ) throws(FileError) {
    guard path.contains(part) else { return }
    companion.withLock { $0 }?()
    guard let broken = broken.withLock({ $0 }),
      broken.operations.contains(kind)
    else { return }
    throw FileError(operation: operation, path: path, code: broken.code)
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try check("opendir", directory, .reading)
    return try files.list(directory)
  }
  func status(_ path: String) throws(FileError) -> FileStatus? {
    try check("stat", path, .reading)
    return try files.status(path)
  }
  func resolve(_ path: String) throws(FileError) -> String? {
    try check("realpath", path, .reading)
    return try files.resolve(path)
  }
  func makeDirectories(_ path: String) throws(FileError) {
    if try files.status(path) != nil { return }
    try check("mkdir", path, .writing)
    try files.makeDirectories(path)
  }
  func open(_ path: String) throws(FileError) -> any ReadableFile {
    try check("open", path, .reading)
    return try files.open(path)
  }
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try check("open", directory, .writing)
    return try files.makeTemporary(in: directory)
  }
  func remove(_ path: String) throws(FileError) {
    try check("unlink", path, .writing)
    try files.remove(path)
  }
  func rename(_ path: String, to newPath: String) throws(FileError) {
    try check("rename", path, .writing)
    try files.rename(path, to: newPath)
  }
  func synchronize(_ path: String) throws(FileError) {
    try check("fsync", path, .writing)
    try files.synchronize(path)
  }
  func synchronizeDirectory(_ path: String) throws(FileError) {
    try check("fsync", path, .writing)
    try files.synchronizeDirectory(path)
  }
}
