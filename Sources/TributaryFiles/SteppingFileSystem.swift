/// An operation on files, named after its system call.
package enum FileOperation: String, Sendable {
  case list = "opendir"
  case status = "stat"
  case resolve = "realpath"
  case makeDirectories = "mkdir"
  case open
  case read
  case close
  case makeTemporary = "mkstemp"
  case write
  /// The first step of publishing, or of making a file durable.
  case synchronize = "fsync"
  /// Also the second step of publishing.
  case rename
  /// The last step of publishing, after which nothing can fail, or making a directory durable.
  case synchronizeDirectory = "fsync directory"
  case remove = "unlink"
  case discard = "discard"
}

/// A file system that takes an extra step before each operation of another one, and so can delay it or make
/// it fail.
package protocol SteppingFileSystem: ForwardingFileSystem, AnyObject {
  /// The largest number of bytes that one read returns. A short transfer does not mean the end.
  var readLimit: Int { get }

  /// - Throws: the error that the operation is to fail with.
  func step(_ operation: FileOperation, _ path: String) throws(FileError)
}

extension SteppingFileSystem {
  package var readLimit: Int { .max }

  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try step(.list, directory)
    return try base.list(directory)
  }

  package func status(_ path: String) throws(FileError) -> FileStatus? {
    try step(.status, path)
    return try base.status(path)
  }

  package func resolve(_ path: String) throws(FileError) -> String? {
    try step(.resolve, path)
    return try base.resolve(path)
  }

  package func makeDirectories(_ path: String) throws(FileError) {
    try step(.makeDirectories, path)
    try base.makeDirectories(path)
  }

  package func open(_ path: String) throws(FileError) -> any ReadableFile {
    try step(.open, path)
    return SteppingReadableFile(try base.open(path), path, self)
  }

  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try step(.makeTemporary, directory)
    return SteppingTemporaryFile(try base.makeTemporary(in: directory), directory, self)
  }

  package func remove(_ path: String) throws(FileError) {
    try step(.remove, path)
    try base.remove(path)
  }

  package func rename(_ path: String, to newPath: String) throws(FileError) {
    try step(.rename, path)
    try base.rename(path, to: newPath)
  }

  package func synchronize(_ path: String) throws(FileError) {
    try step(.synchronize, path)
    try base.synchronize(path)
  }

  package func synchronizeDirectory(_ path: String) throws(FileError) {
    try step(.synchronizeDirectory, path)
    try base.synchronizeDirectory(path)
  }
}

private final class SteppingReadableFile: ReadableFile {
  private let file: any ReadableFile
  private let path: String
  private let system: any SteppingFileSystem

  init(_ file: any ReadableFile, _ path: String, _ system: any SteppingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try system.step(.read, path)
    return try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, system.readLimit)]))
  }

  func close() {
    // Closing cannot fail, only take long.
    try? system.step(.close, path)
    file.close()
  }
}

/// A write that fails has written half of its bytes. A publication fails before the rename, or after it when the
/// directory cannot be synchronised.
private final class SteppingTemporaryFile: TemporaryFile {
  private let file: any TemporaryFile
  private let path: String
  private let system: any SteppingFileSystem

  init(_ file: any TemporaryFile, _ path: String, _ system: any SteppingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    do throws(FileError) {
      try system.step(.write, path)
    } catch {
      try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
      throw error
    }
    try file.write(bytes)
  }

  func publish(as name: String) throws(FileError) {
    do throws(FileError) {
      try system.step(.synchronize, path)
      try system.step(.rename, path)
    } catch {
      file.discard()
      throw error
    }
    try file.publish(as: name)
    try system.step(.synchronizeDirectory, path)
  }

  func discard() {
    // Discarding cannot fail either.
    try? system.step(.discard, path)
    file.discard()
  }
}
