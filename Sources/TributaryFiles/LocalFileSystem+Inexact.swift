internal import Glibc

extension LocalFileSystem {
  /// *unlinkat(2)*, with the names as they are on the disk
  package func removeInexactEntries(of directory: String) throws(FileError) {
    let opened = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try Self.removeEntries(of: opened) { String(validating: $0, as: UTF8.self) == nil }
  }

  /// Removes entries with everything in them. If one cannot be removed, the others still are.
  private static func removeEntries(
    of directory: borrowing FileDescriptor, where isMeant: ([UInt8]) -> Bool
  ) throws(FileError) {
    var failure: FileError?
    for name in try names(in: directory) where isMeant(name) {
      do throws(FileError) {
        try remove(name, in: directory)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private static func remove(
    _ name: [UInt8], in directory: borrowing FileDescriptor
  ) throws(FileError) {
    let path = directory.path.appending(component: String(decoding: name, as: UTF8.self))
    let number = directory.number
    let terminated = (name + [0]).map { CChar(bitPattern: $0) }
    do throws(FileError) {
      try systemCall("unlink", on: path) { unlinkat(number, terminated, 0) }
    } catch {
      if error.code == ENOENT { return }
      guard error.code == EISDIR else { throw error }
      let inner = FileDescriptor(
        owning: try systemCall("open", on: path) {
          openat(number, terminated, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }, path: path)
      try removeEntries(of: inner) { _ in true }
      try systemCall("rmdir", on: path) { unlinkat(number, terminated, AT_REMOVEDIR) }
    }
  }

  /// Returns the names without `.` and `..`, as they are on the disk.
  private static func names(in directory: borrowing FileDescriptor) throws(FileError) -> [[UInt8]] {
    // The stream takes over its descriptor, which must not share its position with the other one.
    let number = directory.number
    let own = try systemCall("open", on: directory.path) {
      openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    let stream: OpaquePointer
    do throws(FileError) {
      stream = try systemPointer("opendir", on: directory.path) { fdopendir(own) }
    } catch {
      _ = close(own)
      throw error
    }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return names }
        throw FileError(operation: "readdir", path: directory.path, code: errno)
      }
      let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
      let start = UnsafeRawPointer(entry) + offset
      let name = UnsafeRawBufferPointer(
        start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      names.append(Array(name))
    }
  }
}
