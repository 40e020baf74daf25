internal import CPlatform
internal import Glibc

/// An open file or directory that closes itself.
///
/// Transfers are whole: a short read or write is continued until it is complete or fails.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The system's number for it; −1 once it is closed.
  package private(set) var number: Int32

  /// The path that was opened, for errors.
  package let path: String

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32, path: String) {
    self.number = number
    self.path = path
  }

  deinit {
    // A failure matters only to a writer, and writers close explicitly.
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// Opens a path; the descriptor is never inherited by a child process. *open(2)*
  ///
  /// - Parameter mode: the permissions of a file that is created, under the umask.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0o666
  ) throws(FileError) -> FileDescriptor {
    let number = try systemCall("open", on: path) { Glibc.open(path, flags | O_CLOEXEC, mode) }
    return FileDescriptor(owning: number, path: path)
  }

  /// Opens a name within this directory. *openat(2)*
  package func open(
    _ name: String, _ flags: Int32, mode: UInt32 = 0o666
  ) throws(FileError) -> FileDescriptor {
    let inner = path.appending(component: name)
    let directory = number
    let number = try systemCall("open", on: inner) {
      openat(directory, name, flags | O_CLOEXEC, mode)
    }
    return FileDescriptor(owning: number, path: inner)
  }

  /// Closes the descriptor and reports the errors that only closing shows, such as a network mount
  /// that could not write. *close(2)*
  package consuming func close() throws(FileError) {
    let closing = number
    number = -1
    // Not repeated after EINTR: the descriptor is already closed, and its number may have been
    // reused.
    if Glibc.close(closing) == -1, errno != EINTR {
      throw FileError(operation: "close", path: path, code: errno)
    }
  }

  /// Fills the buffer from the current position. *read(2)*
  ///
  /// - Returns: the number of bytes read, which is less than requested only at the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try fill(buffer, "read") { (rest: UnsafeMutableRawBufferPointer, _: Int) in
      Glibc.read(number, rest.baseAddress, rest.count)
    }
  }

  /// Fills the buffer from `offset`, without moving the position. *pread(2)*
  ///
  /// - Returns: the number of bytes read, which is less than requested only at the end of the file.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileError) -> Int {
    guard let start = Int(exactly: offset), start <= Int.max - buffer.count else {
      throw FileError(operation: "pread", path: path, code: EINVAL)
    }
    return try fill(buffer, "pread") { (rest: UnsafeMutableRawBufferPointer, done: Int) in
      pread(number, rest.baseAddress, rest.count, start + done)
    }
  }

  /// Writes all the bytes at the current position. *write(2)*
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let remaining = UnsafeRawBufferPointer(rebasing: rest)
      let count = try systemCall("write", on: path) {
        Glibc.write(number, remaining.baseAddress, remaining.count)
      }
      // A full device may write nothing and report no error.
      if count == 0 { throw FileError(operation: "write", path: path, code: ENOSPC) }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the system start writing part of the file to the disk, without waiting for it, so that a later
  /// `synchronize` takes less time. *sync_file_range(2)*
  package func beginSynchronizing(from offset: Int64, byteCount: Int64) {
    tributary_begin_writing(number, offset, byteCount)
  }

  /// Makes contents and all metadata survive a power cut. *fsync(2)*
  package func synchronize() throws(FileError) {
    try systemCall("fsync", on: path) { fsync(number) }
  }

  /// Makes contents survive a power cut. *fdatasync(2)*
  package func synchronizeData() throws(FileError) {
    try systemCall("fdatasync", on: path) { fdatasync(number) }
  }

  /// Makes the entries of this directory survive a power cut. *fsync(2)*
  package func synchronizeEntries() throws(FileError) {
    do {
      try synchronize()
    } catch {
      // Some network file systems do not support fsync of a directory; they write entries at once.
      guard [EINVAL, ENOTSUP, ENOSYS].contains(error.code) else { throw error }
    }
  }

  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, _ operation: String,
    _ transfer: (_ rest: UnsafeMutableRawBufferPointer, _ done: Int) -> Int
  ) throws(FileError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try systemCall(operation, on: path) { transfer(rest, done) }
      if count == 0 { break }
      done += count
    }
    return done
  }
}
