import Glibc
import TributaryFiles

/// Reads a file that the user names on the command line. Unlike a file of the container, it may be
/// a link or a pipe.
enum WholeFile {
  /// *open(2)*, *read(2)*
  static func read(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = try systemCall("open", on: path) { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, path: path)
  }

  static func read(
    descriptor: Int32, path: String = "standard input"
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try systemCall("read", on: path) { Glibc.read(descriptor, &piece, piece.count) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }
}
