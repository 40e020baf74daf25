internal import TributaryFiles
internal import TributaryLog

/// Reads a log file that may be anywhere, under any name; closes it when released.
struct LogFileSource: ByteSource {
  private let file: any ReadableFile

  /// - Throws: `FileError`.
  init(_ path: String, _ fileSystem: any FileSystem) throws(FileError) {
    file = try fileSystem.open(path)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try file.read(into: buffer)
  }

  /// How many bytes it had when it was opened; `nil` when that takes asking for its status.
  var openedByteCount: UInt64? { file.openedByteCount }

  /// Closes it; reading is over.
  func close() { file.close() }
}
