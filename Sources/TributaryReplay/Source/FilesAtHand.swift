internal import Synchronization
package import TributaryFiles

/// A file system with some files already in memory: either files that were all read in one step, or files
/// that will be needed while the store is locked for writing, so that no process then waits for a slow
/// container.
///
/// It is only for files that never change, such as segments, or for times when changes do not matter.
package final class FilesAtHand: ForwardingFileSystem {
  private struct File {
    var status: FileStatus
    var bytes: [UInt8]
  }

  private struct State {
    var files: [String: File] = [:]
    var byteCount = 0
  }

  package let base: any FileSystem
  private let state = Mutex(State())

  /// The largest number of bytes kept at once.
  package static let limit = 32 << 20

  package init(_ base: any FileSystem) { self.base = base }

  /// Reads a file, if there is room for it.
  ///
  /// - Parameters:
  ///   - source: the file system to read from, if not the base file system.
  ///   - most: the size limit; larger files are not read.
  /// - Returns: whether the file is in memory now.
  package func fetch(
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

  /// Reads small files that will be needed, many of them in one step. A file that cannot be read now will
  /// fail again when it is needed, and is reported then.
  ///
  /// This does nothing unless operations have a thread of their own, to which each file would otherwise be
  /// handed over.
  package func fetchTogether(_ paths: [String]) {
    guard let bounded = base as? BoundedFileSystem else { return }
    var rest = paths[...]
    while let first = rest.first {
      let part = rest
      let count = try? bounded.executor.run("read", on: first) { [self, base = bounded.base] in
        // If the container is slow, the step ends early, far from the limit of one operation.
        let end = ContinuousClock.now + Self.stepTime
        var count = 0
        for path in part where count == 0 || ContinuousClock.now < end {
          _ = try? fetch(path, from: base, upTo: Self.smallByteCount)
          count += 1
        }
        return count
      }
      guard let count else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The longest time that one step may take to read several files.
  private static let stepTime = Duration.milliseconds(500)

  /// Reading a larger file takes longer than handing it over.
  private static let smallByteCount = 64 << 10

  /// Whether a file has been read.
  package func has(_ path: String) -> Bool { state.withLock { $0.files[path] != nil } }

  /// Releases one file.
  package func remove(_ path: String) {
    state.withLock { state in
      guard let file = state.files.removeValue(forKey: path) else { return }
      state.byteCount -= file.bytes.count
    }
  }

  /// Releases all files.
  package func removeAll() { state.withLock { $0 = State() } }

  package func status(_ path: String) throws(FileError) -> FileStatus? {
    if let file = state.withLock({ $0.files[path] }) { return file.status }
    return try base.status(path)
  }

  package func open(_ path: String) throws(FileError) -> any ReadableFile {
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
