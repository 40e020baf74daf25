import Synchronization
import TributaryFiles

/// The real file system, which notes what is made durable and what is published, in order.
final class LoggingFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let entries = Mutex<[String]>([])

  /// The last components of paths, each after what was done to it.
  var log: [String] {
    get { entries.withLock { $0 } }
    set { entries.withLock { $0 = newValue } }
  }

  fileprivate func note(_ operation: String, _ name: String) {
    entries.withLock { $0.append("\(operation) \(name)") }
  }

  func synchronize(_ path: String) throws(FileError) {
    try base.synchronize(path)
    note("synchronize", path.lastPathComponent)
  }

  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    LoggingTemporaryFile(try base.makeTemporary(in: directory), self)
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
