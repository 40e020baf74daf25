import Foundation
import Glibc

/// What is in a directory, to be compared as a whole.
enum DirectoryTree {
  /// Returns the paths of all files and directories below a directory, relative to it, in order.
  static func paths(_ directory: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: directory)?.allObjects as? [String] ?? []
    return found.sorted()
  }

  /// Makes an empty file whose name has a byte that is not UTF-8.
  static func makeInexactFile(in directory: String, named beginning: String = "x") {
    let path = Array(directory.utf8) + Array("/\(beginning)".utf8) + [0xff, 0]
    close(open(path.map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600))
  }

  /// Makes a directory whose name has a byte that is not UTF-8, with files in it.
  static func makeInexactDirectory(in directory: String) {
    let path = Array(directory.utf8) + Array("/d".utf8) + [0xff]
    mkdir((path + [0]).map { CChar(bitPattern: $0) }, 0o700)
    for name in [Array("plain".utf8), [0xfe]] {
      let file = path + [UInt8(ascii: "/")] + name + [0]
      close(open(file.map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600))
    }
  }
}
