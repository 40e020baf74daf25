/// A file that another thread reads in advance. This is for large files, if using the bytes takes as long as
/// reading them.
package final class FileAhead: ReadableFile {
  /// The bytes that have been read but not used yet, as a ring.
  ///
  /// The unchecked Sendable conformance is safe: the lock protects everything that is not constant, except
  /// the contents of chunks. A chunk belongs to the reading thread until it counts as filled, and then to the
  /// user until it counts as free. Only the reading thread uses the file before the end.
  private final class Ring: @unchecked Sendable {
    static let chunkByteCount = 128 << 10
    static let chunkCount: UInt64 = 4

    let file: any ReadableFile
    private let note: (UnsafeRawBufferPointer) -> Void
    private let condition = Condition()
    private let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: chunkByteCount * Int(chunkCount), alignment: 16)
    private var counts = [Int](repeating: 0, count: Int(chunkCount))
    private var filledCount: UInt64 = 0
    private var freedCount: UInt64 = 0
    private var failure: FileError?
    private var isClosed = false

    init(_ file: any ReadableFile, _ note: @escaping (UnsafeRawBufferPointer) -> Void) {
      self.file = file
      self.note = note
    }

    deinit { memory.deallocate() }

    private func chunk(_ number: UInt64) -> UnsafeMutableRawBufferPointer {
      let start = Int(number % Self.chunkCount) * Self.chunkByteCount
      return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + Self.chunkByteCount])
    }

    /// Reads to the end, or until the file is closed.
    func run() {
      var number: UInt64 = 0
      while hasRoom(for: number) {
        let result = Result { () throws(FileError) in try file.read(into: chunk(number)) }
        if case .success(let count) = result, count > 0 {
          note(UnsafeRawBufferPointer(rebasing: chunk(number)[..<count]))
        }
        let isLast = condition.locked {
          defer { condition.broadcast() }
          switch result {
          case .success(let count):
            counts[Int(number % Self.chunkCount)] = count
            filledCount = number + 1
            return count == 0
          case .failure(let error):
            failure = error
            return true
          }
        }
        if isLast { return }
        number += 1
      }
    }

    private func hasRoom(for number: UInt64) -> Bool {
      condition.locked {
        while !isClosed, number - freedCount >= Self.chunkCount { _ = condition.wait(until: nil) }
        return !isClosed
      }
    }

    /// Waits for a chunk, and returns its bytes; none at the end.
    func wait(for number: UInt64) throws(FileError) -> UnsafeRawBufferPointer {
      let count = try condition.locked { () throws(FileError) in
        while filledCount <= number {
          if let failure { throw failure }
          _ = condition.wait(until: nil)
        }
        return counts[Int(number % Self.chunkCount)]
      }
      return UnsafeRawBufferPointer(rebasing: chunk(number)[..<count])
    }

    func free(upTo number: UInt64) {
      condition.locked {
        freedCount = number
        condition.broadcast()
      }
    }

    func close() {
      condition.locked {
        isClosed = true
        condition.broadcast()
      }
    }
  }

  private let ring: Ring
  private let thread: WorkerThread
  /// The chunk that is being used, and how much of it has been used.
  private var number: UInt64 = 0
  private var used = 0
  private var isClosed = false

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - file: the file, which is read from its current position to its end, and by nothing else.
  ///   - note: called on the thread with all bytes, in order. Once `read` has returned 0, it is not called
  ///     any more.
  /// - Throws: `FileError` if the system cannot make another thread. The file is then unchanged.
  package init(
    _ file: any ReadableFile, noting note: @escaping (UnsafeRawBufferPointer) -> Void
  ) throws(FileError) {
    let ring = Ring(file, note)
    self.ring = ring
    thread = try WorkerThread(name: "file-ahead") { ring.run() }
  }

  deinit { close() }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    // This call reports that the file is closed.
    guard !isClosed else { return try ring.file.read(into: buffer) }
    let bytes = try ring.wait(for: number)
    let count = min(bytes.count - used, buffer.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<used + count]))
    used += count
    if used == bytes.count, count > 0 {
      number += 1
      used = 0
      ring.free(upTo: number)
    }
    return count
  }

  /// Stops reading, and closes the file. Waits for the operation in progress.
  package func close() {
    if isClosed { return }
    isClosed = true
    ring.close()
    thread.join()
    ring.file.close()
  }
}
