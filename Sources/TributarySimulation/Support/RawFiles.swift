import Foundation
internal import TributaryTesting

/// Direct access to files, bypassing the product, as a carrier accesses a directory.
enum RawFiles {
  static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
    guard let file = fopen(path, "w") else { throw failure(path) }
    defer { fclose(file) }
    let bytes = Array(bytes)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw failure(path) }
  }

  /// Returns the bytes of a file; `nil` if it does not exist.
  static func read(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { Array($0) }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func remove(_ path: String) throws {
    guard unlink(path) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> HarnessFailure {
    HarnessFailure("\(path): \(String(cString: strerror(errno)))")
  }
}
