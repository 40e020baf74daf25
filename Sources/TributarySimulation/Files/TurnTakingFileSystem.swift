import Foundation
internal import TributaryFiles
internal import TributaryTesting

/// A simulated file system for a store that reads ahead: its threads take turns.
final class TurnTakingFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  // Recursive: a file that is dropped within an operation is discarded.
  private let turn = NSRecursiveLock()

  init(_ base: any FileSystem) { self.base = base }

  fileprivate func take<Result>(
    _ body: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    turn.lock()
    defer { turn.unlock() }
    return try body()
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try take { () throws(FileError) in try base.list(directory) }
  }

  func status(_ path: String) throws(FileError) -> FileStatus? {
    try take { () throws(FileError) in try base.status(path) }
  }

  func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    try take { () throws(FileError) in try base.stamps(directories) }
  }

  func resolve(_ path: String) throws(FileError) -> String? {
    try take { () throws(FileError) in try base.resolve(path) }
  }

  func makeDirectories(_ path: String) throws(FileError) {
    try take { () throws(FileError) in try base.makeDirectories(path) }
  }

  func makeDirectory(_ path: String) throws(FileError) {
    try take { () throws(FileError) in try base.makeDirectory(path) }
  }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    Readable(try take { () throws(FileError) in try base.open(path) }, self)
  }

  func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
    Temporary(try take { () throws(FileError) in try base.makeTemporary(in: directory) }, self)
  }

  func remove(_ path: String) throws(FileError) {
    try take { () throws(FileError) in try base.remove(path) }
  }

  func rename(_ path: String, to newPath: String) throws(FileError) {
    try take { () throws(FileError) in try base.rename(path, to: newPath) }
  }

  func synchronize(_ path: String) throws(FileError) {
    try take { () throws(FileError) in try base.synchronize(path) }
  }

  func synchronizeDirectory(_ path: String) throws(FileError) {
    try take { () throws(FileError) in try base.synchronizeDirectory(path) }
  }

  private final class Readable: ReadableFile {
    private let file: any ReadableFile
    private let system: TurnTakingFileSystem

    init(_ file: any ReadableFile, _ system: TurnTakingFileSystem) {
      self.file = file
      self.system = system
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      try system.take { () throws(FileError) in try file.read(into: buffer) }
    }

    func close() { file.close() }
  }

  private final class Temporary: TemporaryFile {
    private let file: any TemporaryFile
    private let system: TurnTakingFileSystem

    init(_ file: any TemporaryFile, _ system: TurnTakingFileSystem) {
      self.file = file
      self.system = system
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
      try system.take { () throws(FileError) in try file.write(bytes) }
    }

    func publish(as name: String) throws(FileError) {
      try system.take { () throws(FileError) in try file.publish(as: name) }
    }

    func discard() {
      system.turn.lock()
      defer { system.turn.unlock() }
      file.discard()
    }
  }
}
