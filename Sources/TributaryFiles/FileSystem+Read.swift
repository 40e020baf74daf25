extension FileSystem {
  /// Reads a file through `open`, into one bounded buffer.
  package func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let file = try open(path)
    defer { file.close() }
    var bytes: [UInt8] = []
    var failure: FileError?
    var step = 16 << 10
    while bytes.count <= limit {
      let piece = [UInt8](unsafeUninitializedCapacity: min(step, limit + 1 - bytes.count)) {
        do throws(FileError) {
          $1 = try file.read(into: UnsafeMutableRawBufferPointer($0))
        } catch {
          $1 = 0
          failure = error
        }
      }
      if let failure { throw failure }
      if piece.isEmpty { return bytes }
      bytes += piece
      step = min(step * 2, 1 << 20)
    }
    throw .tooLarge(path)
  }
}
