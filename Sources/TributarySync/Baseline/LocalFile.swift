import Glibc
import TributaryFiles
import TributaryLog

/// A file beside the store that exists only while a baseline is written or read. It removes itself.
struct LocalFile: ~Copyable {
  let path: String

  /// Removes what a killed process has left there.
  init(_ path: String) {
    self.path = path
    remove()
  }

  deinit { remove() }

  private func remove() {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(path + suffix) }
  }

  /// Opens the file to write it from its start.
  func write() throws(FileError) -> FileDescriptor {
    try .open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
  }

  /// Opens the file to read it from its start.
  func read() throws(FileError) -> Bytes { Bytes(file: try .open(path, O_RDONLY | O_NOFOLLOW)) }

  /// The bytes of such a file.
  struct Bytes: ByteSource, ~Copyable {
    let file: FileDescriptor

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      try file.read(into: buffer)
    }
  }
}
