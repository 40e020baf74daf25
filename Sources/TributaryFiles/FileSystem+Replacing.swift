extension FileSystem {
  /// Replaces a file by publishing a temporary file in its place.
  package func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    let file = try makeTemporary(in: path.parentDirectory)
    var failure: FileError?
    bytes.withUnsafeBytes {
      do throws(FileError) { try file.write($0) } catch { failure = error }
    }
    if let failure {
      file.discard()
      throw failure
    }
    try file.publish(as: path.lastPathComponent)
  }
}
