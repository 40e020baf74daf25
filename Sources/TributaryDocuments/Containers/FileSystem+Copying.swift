internal import TributaryFiles

extension FileSystem {
  /// Copies a file into a directory, under its name, so that the copy survives a power cut.
  func copyFile(_ path: String, into directory: String) throws(FileError) {
    let source = try open(path)
    defer { source.close() }
    let target = try makeTemporary(in: directory)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    do {
      while true {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch {
      target.discard()
      throw error
    }
    try target.publish(as: path.lastPathComponent)
  }

  /// Returns the kind of an entry, even if the listing does not say it.
  func kind(of entry: DirectoryEntry, at path: String) throws(FileError) -> FileKind {
    guard entry.kind == .unknown else { return entry.kind }
    return try status(path)?.kind ?? .other
  }
}
