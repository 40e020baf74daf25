import TributaryFiles

/// The destination of a page: a file that is replaced completely or not at all.
struct ReportFile {
  let path: String
  private let fileSystem = LocalFileSystem()

  /// Checks that the file can be made before any work is done for it.
  ///
  /// - Throws: `TextError`, `FileError`.
  init(_ path: String) throws {
    self.path = path
    // Writing would replace a device or a pipe with a file.
    if let kind = try fileSystem.status(path)?.kind, kind != .file {
      throw TextError(
        "\(path) is not a regular file and would be replaced; name another, or use --output - and "
          + "redirect standard output")
    }
    guard try fileSystem.status(path.parentDirectory)?.kind == .directory else {
      throw TextError("no such directory: \(path.parentDirectory); make it first")
    }
  }

  /// Writes the page.
  ///
  /// - Throws: `FileError`.
  func write(_ page: [UInt8]) throws(FileError) {
    let file = try fileSystem.makeTemporary(in: path.parentDirectory)
    defer { file.discard() }
    try page.span.bytes.withUnsafeBytes { (bytes) throws(FileError) in try file.write(bytes) }
    try file.publish(as: path.lastPathComponent)
  }
}
