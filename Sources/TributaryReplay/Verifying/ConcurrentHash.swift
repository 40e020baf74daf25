internal import Synchronization
internal import TributaryFiles
internal import TributaryLog

/// The content hash of a file, computed on a separate thread while another one reads the contents: hashing
/// takes as long as reading.
final class ConcurrentHash: Sendable {
  /// The least size, in bytes: smaller files are hashed before a thread has started.
  static let leastByteCount: UInt64 = 1 << 20

  private let job: Job
  private let thread: WorkerThread

  /// Starts hashing.
  ///
  /// - Throws: `FileError` if no thread can be started.
  init(_ path: String, _ fileSystem: any FileSystem) throws(FileError) {
    let job = Job()
    self.job = job
    thread = try WorkerThread(name: "content-hash") { job.run(path, fileSystem) }
  }

  // The result is no longer wanted.
  deinit { job.isCancelled.store(true, ordering: .relaxed) }

  /// Waits for the end of the file and returns the hash.
  ///
  /// - Throws: `FileError` if the file could not be read.
  func finish() throws(FileError) -> UInt64? {
    thread.join()
    return try job.result.withLock { $0 }?.get()
  }

  private final class Job: Sendable {
    let isCancelled = Atomic(false)
    let result = Mutex<Result<UInt64, FileError>?>(nil)

    func run(_ path: String, _ fileSystem: any FileSystem) {
      let hashed = Result { () throws(FileError) in try hash(path, fileSystem) }
      result.withLock { $0 = hashed }
    }

    private func hash(_ path: String, _ fileSystem: any FileSystem) throws(FileError) -> UInt64 {
      let file = try fileSystem.open(path)
      defer { file.close() }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 64)
      defer { buffer.deallocate() }
      var hash = SegmentHash()
      while !isCancelled.load(ordering: .relaxed) {
        let count = try file.read(into: buffer)
        if count == 0 { break }
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      return hash.finish()
    }
  }
}
