/// An open file that is read on the thread of an executor.
final class BoundedReadableFile: ReadableFile {
  /// The file itself, and the bytes in transit. If a caller gives up a read, no bytes reach its
  /// memory.
  ///
  /// The unchecked Sendable conformance is safe: at most the one running operation touches it.
  final class Base: @unchecked Sendable {
    let file: any ReadableFile
    fileprivate var buffer: UnsafeMutableRawBufferPointer?
    /// The number of bytes in the buffer that were read in advance.
    fileprivate var beginning = 0

    init(_ file: any ReadableFile) { self.file = file }

    deinit { buffer?.deallocate() }

    /// Reads the first bytes in advance: many files have no more, and often only the beginning of
    /// the others is needed.
    func readBeginning() throws(FileError) {
      beginning = try read(BoundedReadableFile.beginningByteCount)
    }

    fileprivate func read(_ count: Int) throws(FileError) -> Int {
      if buffer.map({ $0.count < count }) ?? true {
        buffer?.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
      }
      return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer![..<count]))
    }
  }

  fileprivate static let beginningByteCount = 16 << 10

  private var base: Base?
  /// The number of bytes of the beginning that have been returned.
  private var position = 0
  private let path: String
  private let executor: BoundedExecutor
  let openedByteCount: UInt64?

  init(_ base: Base, path: String, executor: BoundedExecutor) {
    self.base = base
    self.path = path
    self.executor = executor
    openedByteCount = base.file.openedByteCount
  }

  deinit { close() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    guard let base else { throw .closed("read", path) }
    if position < base.beginning, let source = base.buffer {
      let count = min(buffer.count, base.beginning - position)
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: source[position..<position + count]))
      position += count
      return count
    }
    let wanted = buffer.count
    let count = try executor.run("read", on: path) { () throws(FileError) in
      try base.read(wanted)
    }
    if count > 0, let source = base.buffer {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
    }
    return count
  }

  func close() {
    guard let base else { return }
    self.base = nil
    // Even closing may hang.
    executor.post { base.file.close() }
  }
}
