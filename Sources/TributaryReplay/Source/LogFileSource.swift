internal import TributaryFiles
internal import TributaryLog

/// Reads a log file that may be anywhere, under any name; closes it when released.
struct LogFileSource: ByteSource {
  private let file: any ReadableFile

  /// Opens a file.
  ///
  /// - Throws: `FileError`.
  init(_ path: String, _ fileSystem: any FileSystem) throws(FileError) {
    file = try fileSystem.open(path)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try file.read(into: buffer)
  }

  /// Reads a file that is already open.
  init(_ file: any ReadableFile) { self.file = file }

  /// The number of bytes that the file had when it was opened; `nil` if finding that out takes a call for its
  /// status.
  var openedByteCount: UInt64? { file.openedByteCount }

  /// Closes the file, which ends reading.
  func close() { file.close() }
}
