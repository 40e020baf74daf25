import Glibc
import Synchronization
package import TributaryFiles

/// The real file system, where one operation does not return until it is released, as on a network
/// mount whose server is gone; then it is performed after all, late.
package final class HangingFileSystem: FileSystem {
  private struct State {
    var count = 0
    /// The number of the operation that hangs, counted from 1; `nil` for none.
    var hanging: Int?
    var hangs = false
    var isReleased = false
  }

  private let files = LocalFileSystem()
  private let state = Mutex(State())
  private let part: String

  /// Makes the file system.
  ///
  /// - Parameters:
  ///   - number: the number of the operation that hangs, counted from 1.
  ///   - part: only operations on paths that contain this count.
  package init(at number: Int?, inPathsWith part: String) {
    self.part = part
    state.withLock { $0.hanging = number }
  }

  /// Whether the operation was reached.
  package var wasReached: Bool { state.withLock { $0.hangs } }

  /// Whether the operation was reached and has not returned.
  package var isHanging: Bool { state.withLock { $0.hangs && !$0.isReleased } }

  /// The number of operations.
  package var count: Int { state.withLock { $0.count } }

  /// Makes a later operation hang, counted from the next one.
  package func hang(after number: Int = 1) {
    state.withLock {
      $0.hanging = $0.count + number
      $0.hangs = false
      $0.isReleased = false
    }
  }

  /// Releases the operation, and makes no later one hang.
  package func release() { state.withLock { $0.isReleased = true } }

  fileprivate func step(_ path: String) {
    guard path.contains(part) else { return }
    let hangs = state.withLock { state in
      state.count += 1
      if state.count == state.hanging { state.hangs = true }
      return state.count == state.hanging
    }
    while hangs, !state.withLock({ $0.isReleased }) { usleep(1000) }
  }

  package func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    step(directory)
    return try files.list(directory)
  }
  package func status(_ path: String) throws(FileError) -> FileStatus? {
    step(path)
    return try files.status(path)
  }
  package func resolve(_ path: String) throws(FileError) -> String? {
    step(path)
    return try files.resolve(path)
  }
  package func makeDirectories(_ path: String) throws(FileError) {
    step(path)
    try files.makeDirectories(path)
  }
  package func open(_ path: String) throws(FileError) -> any ReadableFile {
    step(path)
    return HangingReadableFile(try files.open(path), path, self)
  }
  package func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    step(directory)
    return HangingTemporaryFile(try files.makeTemporary(in: directory), directory, self)
  }
  package func remove(_ path: String) throws(FileError) {
    step(path)
    try files.remove(path)
  }
  package func rename(_ path: String, to newPath: String) throws(FileError) {
    step(path)
    try files.rename(path, to: newPath)
  }
  package func synchronize(_ path: String) throws(FileError) {
    step(path)
    try files.synchronize(path)
  }
  package func synchronizeDirectory(_ path: String) throws(FileError) {
    step(path)
    try files.synchronizeDirectory(path)
  }
}

private final class HangingReadableFile: ReadableFile {
  let file: any ReadableFile
  let path: String
  let system: HangingFileSystem

  init(_ file: any ReadableFile, _ path: String, _ system: HangingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    system.step(path)
    return try file.read(into: buffer)
  }

  func close() {
    system.step(path)
    file.close()
  }
}

private final class HangingTemporaryFile: TemporaryFile {
  let file: any TemporaryFile
  let path: String
  let system: HangingFileSystem

  init(_ file: any TemporaryFile, _ path: String, _ system: HangingFileSystem) {
    self.file = file
    self.path = path
    self.system = system
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    system.step(path)
    try file.write(bytes)
  }

  func publish(as name: String) throws(FileError) {
    system.step(path)
    try file.publish(as: name)
    // The directory is synced separately.
    system.step(path)
  }

  func discard() {
    system.step(path)
    file.discard()
  }
}
