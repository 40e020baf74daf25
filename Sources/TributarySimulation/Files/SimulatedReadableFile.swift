import Glibc
internal import TributaryFiles
internal import TributaryTesting

/// An open file of a simulated disk; it sees what is written to the file meanwhile.
final class SimulatedReadableFile: ReadableFile {
  private let path: String
  private var file: SimulatedFile?
  private let driver: FileDriver
  private var offset = 0

  init(path: String, _ file: SimulatedFile, _ driver: FileDriver) {
    self.path = path
    self.file = file
    self.driver = driver
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    try driver.next("read", path)
    guard let file else { throw FileError(operation: "read", path: path, code: EBADF) }
    let rest = file.bytes.dropFirst(offset).prefix(min(buffer.count, driver.readLimit))
    buffer.copyBytes(from: rest)
    offset += rest.count
    return rest.count
  }

  func close() { file = nil }
}
