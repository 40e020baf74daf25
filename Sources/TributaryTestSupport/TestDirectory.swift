import Foundation
import TributaryFiles

/// The temporary directories of tests.
enum TestDirectory {
  /// Makes a directory, in memory where there is room.
  static func make() throws -> String {
    let parent =
      FileManager.default.isWritableFile(atPath: "/dev/shm")
      ? "/dev/shm" : ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    let path = "\(parent)/tributary-test-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return try LocalFileSystem().resolve(path) ?? path
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
