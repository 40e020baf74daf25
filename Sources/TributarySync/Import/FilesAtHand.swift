import Synchronization
import TributaryFiles

/// A file system with some files already in memory: all read in one step, or those that will be needed while
/// the store is locked for writing, so that nobody waits for a slow container then.
///
/// Only for files that never change, such as segments, or while changes do not matter.
final class FilesAtHand: ForwardingFileSystem {
  private struct File {
    var status: FileStatus
    var bytes: [UInt8]
  }

  private struct State {
    var files: [String: File] = [:]
    var byteCount = 0
  }

  let base: any FileSystem
  private let state = Mutex(State())

  /// The largest number of bytes kept at once.
  static let limit = 32 << 20

  init(_ base: any FileSystem) { self.base = base }

  /// Reads a file, if there is room for it.
  ///
  /// - Parameters:
  ///   - source: the file system to read from, if not the base file system.
  ///   - most: the size limit; larger files are not read.
  /// - Returns: whether the file is at hand now.
  func fetch(
    _ path: String, from source: (any FileSystem)? = nil, upTo most: Int = limit
  ) throws(FileError) -> Bool {
    if state.withLock({ $0.files[path] != nil }) { return true }
    let room = min(most, Self.limit - state.withLock { $0.byteCount })
    let base = source ?? base
    guard let status = try base.status(path), status.kind == .file, status.size <= UInt64(room)
    else { return false }
    let bytes = try base.read(path, limit: room)
    state.withLock { state in
      guard state.files.updateValue(File(status: status, bytes: bytes), forKey: path) == nil else {
        return
      }
      state.byteCount += bytes.count
    }
    return true
  }

  /// Whether a file has been read.
  func has(_ path: String) -> Bool { state.withLock { $0.files[path] != nil } }

  /// Releases one file.
  func remove(_ path: String) {
    state.withLock { state in
      guard let file = state.files.removeValue(forKey: path) else { return }
      state.byteCount -= file.bytes.count
    }
  }

  /// Releases all files.
  func removeAll() { state.withLock { $0 = State() } }

  func status(_ path: String) throws(FileError) -> FileStatus? {
    if let file = state.withLock({ $0.files[path] }) { return file.status }
    return try base.status(path)
  }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    if let file = state.withLock({ $0.files[path] }) { return Reader(file.bytes) }
    return try base.open(path)
  }

  private final class Reader: ReadableFile {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      let count = min(buffer.count, bytes.count - position)
      if count > 0 { buffer.copyBytes(from: bytes[position..<position + count]) }
      position += count
      return count
    }

    func close() {}
  }
}
