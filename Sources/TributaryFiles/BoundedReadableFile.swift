/// An open file that is read on the thread of an executor.
final class BoundedReadableFile: ReadableFile {
  /// The file itself, and the bytes on their way: who gave up reading gets none into its memory.
  ///
  /// Sendable although unchecked: only the one operation that runs at a time touches it, or nobody
  /// does.
  final class Base: @unchecked Sendable {
    let file: any ReadableFile
    fileprivate var buffer: UnsafeMutableRawBufferPointer?

    init(_ file: any ReadableFile) { self.file = file }

    deinit { buffer?.deallocate() }

    fileprivate func read(_ count: Int) throws(FileError) -> Int {
      if buffer.map({ $0.count < count }) ?? true {
        buffer?.deallocate()
        buffer = .allocate(byteCount: count, alignment: 16)
      }
      return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer![..<count]))
    }
  }

  private var base: Base?
  private let path: String
  private let executor: BoundedExecutor

  init(_ base: Base, path: String, executor: BoundedExecutor) {
    self.base = base
    self.path = path
    self.executor = executor
  }

  deinit { close() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    guard let base else { throw .closed("read", path) }
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
