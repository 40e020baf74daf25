import Foundation

/// The files that a power cut has left.
package struct DiskImage {
  /// The contents by path.
  var files: [String: [UInt8]]
  var directories: Set<String>

  /// Writes the files in place of everything below a directory.
  package func write(replacing directory: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: directory)
    try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for path in directories.sorted() {
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (path, bytes) in files { try Data(bytes).write(to: URL(filePath: path)) }
  }
}
