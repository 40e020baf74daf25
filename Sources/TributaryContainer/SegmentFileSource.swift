import TributaryFiles
import TributaryLog

/// Reads a file of the container from its start; closes it when released.
package struct SegmentFileSource: ByteSource {
  /// The path of the file, for errors.
  package let path: String
  private let file: any ReadableFile

  init(path: String, _ file: any ReadableFile) {
    self.path = path
    self.file = file
  }

  /// Reads the next bytes.
  ///
  /// - Throws: `ContainerError`.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try readBytes(into: buffer)
  }

  /// Closes the file, which ends reading.
  package func close() { file.close() }

  func readBytes(into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
    do {
      return try file.read(into: buffer)
    } catch {
      throw ContainerError(error)
    }
  }
}
