import Foundation

/// A file that some device has published, as the carrier knows it.
struct CarriedFile {
  /// The path relative to the container.
  var path: String
  /// The number of the device that wrote it.
  var origin: Int
  var bytes: [UInt8]
  /// Whether it reaches nobody before the end.
  var isHeldBack: Bool
  /// What each device has of it.
  var states: [State]

  enum State { case absent, partial, whole }

  var name: String { String(path.split(separator: "/").last ?? "") }

  var directory: String { String(path.dropLast(name.utf8.count + 1)) }

  /// The transactions in it, from its name `first-last-hash.lz4`; `nil` for a manifest.
  var sequences: ClosedRange<UInt64>? {
    let parts = name.split(separator: "-")
    guard parts.count == 3, let first = UInt64(parts[0], radix: 16),
      let last = UInt64(parts[1], radix: 16)
    else { return nil }
    return first...last
  }

  /// The owner of its directory, as in the path.
  var peerName: String {
    let parts = path.split(separator: "/")
    return String(sequences == nil ? parts[parts.count - 2] : parts[parts.count - 3])
  }
}

/// Direct access to files, bypassing the product: what a carrier does to a directory is not what
/// the product does.
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

  static func move(_ path: String, to other: String) throws {
    guard rename(path, other) == 0 else { throw failure(path) }
  }

  static func remove(_ path: String) throws {
    guard unlink(path) == 0 else { throw failure(path) }
  }

  static func removeDirectory(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  static func makeDirectories(_ path: String) throws {
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw failure(path) }
    try makeDirectories(String(path[..<path.lastIndex(of: "/")!]))
    try makeDirectories(path)
  }

  /// Returns the names of all entries, in order; none if the directory does not exist.
  static func list(_ path: String) -> [String] {
    // A missing directory contains nothing.
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private static func failure(_ path: String) -> HarnessFailure {
    HarnessFailure("\(path): \(String(cString: strerror(errno)))")
  }
}
