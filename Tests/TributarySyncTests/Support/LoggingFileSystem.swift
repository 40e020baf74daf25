import Synchronization
import TributaryFiles

/// The real file system, which notes what is made durable and what is published, in order.
final class LoggingFileSystem: FileSystem {
  private let files = LocalFileSystem()
  private let entries = Mutex<[String]>([])

  /// The last components of paths, each after what was done to it.
  var log: [String] {
    get { entries.withLock { $0 } }
    set { entries.withLock { $0 = newValue } }
  }

  fileprivate func note(_ operation: String, _ name: String) {
    entries.withLock { $0.append("\(operation) \(name)") }
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try files.list(directory)
  }
  func status(_ path: String) throws(FileError) -> FileStatus? { try files.status(path) }
  func resolve(_ path: String) throws(FileError) -> String? { try files.resolve(path) }
  func makeDirectories(_ path: String) throws(FileError) { try files.makeDirectories(path) }
  func open(_ path: String) throws(FileError) -> any ReadableFile { try files.open(path) }
  func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try files.read(path, limit: limit)
  }
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    LoggingTemporaryFile(try files.makeTemporary(in: directory), self)
  }
  func remove(_ path: String) throws(FileError) { try files.remove(path) }
  func rename(_ path: String, to newPath: String) throws(FileError) {
    try files.rename(path, to: newPath)
  }
  func synchronize(_ path: String) throws(FileError) {
    try files.synchronize(path)
    note("synchronize", path.lastPathComponent)
  }
  func synchronizeDirectory(_ path: String) throws(FileError) {
    try files.synchronizeDirectory(path)
  }
}

private final class LoggingTemporaryFile: TemporaryFile {
  private let file: any TemporaryFile
  private let system: LoggingFileSystem

  init(_ file: any TemporaryFile, _ system: LoggingFileSystem) {
    self.file = file
    self.system = system
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) { try file.write(bytes) }
  func publish(as name: String) throws(FileError) {
    try file.publish(as: name)
    system.note("publish", name)
  }
  func discard() { file.discard() }
}
