import Glibc
import Synchronization
import TributaryFiles

/// Does everything like the real one until one operation, counted from 1, fails.
///
/// A write that fails has written half of its bytes; a publication fails before the rename, or
/// after it when the directory cannot be synchronised.
final class FailingFileSystem: FileSystem {
  private struct State {
    var count = 0
    var hasFailed = false
    var log: [String] = []
  }
  private let files = LocalFileSystem()
  private let state = Mutex(State())
  private let failing: Int
  private let code: Int32

  init(at failing: Int, code: Int32) {
    self.failing = failing
    self.code = code
  }

  /// Whether the operation to fail was reached.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// The operations so far, in order.
  var log: [String] { state.withLock { $0.log } }

  /// Counts an operation and fails if it is its turn.
  func step(_ operation: String, _ path: String) throws(FileError) {
    let fails = state.withLock { state in
      state.count += 1
      state.log.append(operation)
      if state.count == failing { state.hasFailed = true }
      return state.count == failing
    }
    if fails { throw FileError(operation: operation, path: path, code: code) }
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try step("list", directory)
    return try files.list(directory)
  }
  func status(_ path: String) throws(FileError) -> FileStatus? {
    try step("status", path)
    return try files.status(path)
  }
  func resolve(_ path: String) throws(FileError) -> String? {
    try step("resolve", path)
    return try files.resolve(path)
  }
  func makeDirectory(_ path: String) throws(FileError) {
    try step("makeDirectory", path)
    try files.makeDirectory(path)
  }
  func makeDirectories(_ path: String) throws(FileError) {
    try step("makeDirectories", path)
    try files.makeDirectories(path)
  }
  func open(_ path: String) throws(FileError) -> any ReadableFile {
    try step("open", path)
    return FailingReadableFile(try files.open(path), path, self)
  }
  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    try step("makeTemporary", directory)
    return FailingTemporaryFile(try files.makeTemporary(in: directory), directory, self)
  }
  func remove(_ path: String) throws(FileError) {
    try step("remove", path)
    try files.remove(path)
  }
  func rename(_ path: String, to newPath: String) throws(FileError) {
    try step("rename", path)
    try files.rename(path, to: newPath)
  }
  func synchronize(_ path: String) throws(FileError) {
    try step("synchronize", path)
    try files.synchronize(path)
  }
  func synchronizeDirectory(_ path: String) throws(FileError) {
    try step("synchronizeDirectory", path)
    try files.synchronizeDirectory(path)
  }
}

private final class FailingReadableFile: ReadableFile {
  let file: any ReadableFile
  let path: String
  let system: FailingFileSystem

  init(_ file: any ReadableFile, _ path: String, _ system: FailingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try system.step("read", path)
    // A short transfer is no end.
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, 1000)])
    return try file.read(into: part)
  }

  func close() { file.close() }
}

private final class FailingTemporaryFile: TemporaryFile {
  let file: any TemporaryFile
  let path: String
  let system: FailingFileSystem

  init(_ file: any TemporaryFile, _ path: String, _ system: FailingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    do throws(FileError) {
      try system.step("write", path)
    } catch {
      try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
      throw error
    }
    try file.write(bytes)
  }

  func publish(as name: String) throws(FileError) {
    do throws(FileError) {
      try system.step("fsync", path)
      try system.step("rename", path)
    } catch {
      file.discard()
      throw error
    }
    try file.publish(as: name)
    try system.step("fsync directory", path)
  }

  func discard() { file.discard() }
}
