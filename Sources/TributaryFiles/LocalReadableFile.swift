internal import Glibc

/// An open file of this machine.
final class LocalReadableFile: ReadableFile {
  private let path: String
  private var descriptor: FileDescriptor?
  let openedByteCount: UInt64?

  init(_ descriptor: consuming FileDescriptor, byteCount: UInt64) {
    path = descriptor.path
    openedByteCount = byteCount
    self.descriptor = consume descriptor
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    guard descriptor != nil else { throw FileError(operation: "read", path: path, code: EBADF) }
    return try descriptor!.read(into: buffer)
  }

  func close() { descriptor = nil }
}
