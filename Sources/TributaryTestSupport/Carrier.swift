import Foundation

/// Carries files between the containers of devices, as Syncthing and the like do.
enum Carrier {
  /// Makes what another device has equal here, except for the directories that this device itself writes: each file has
  /// one writer.
  static func carry(from source: TestDevice, to target: TestDevice) throws {
    for path in try pending(from: source, to: target) {
      try carry(path, from: source, to: target)
    }
  }

  /// Returns what `carry` would change, sorted.
  static func pending(from source: TestDevice, to target: TestDevice) throws -> [String] {
    guard source.container != target.container else { return [] }
    let kept = try target.ownDirectories()
    let authored = try source.ownDirectories()
    let here = try files(below: target.container)
    let there = try files(below: source.container)
    let changed = there.filter { path, contents in
      guard here[path] != contents, !isOf(kept, path) else { return false }
      // What others have written, they change; a carrier does not bring back older versions, but completes.
      return here[path].map { isOf(authored, path) || contents.starts(with: $0) } ?? true
    }
    // Only its writer removes a file.
    let removed = here.keys.filter { there[$0] == nil && isOf(authored, $0) }
    return (changed.keys + removed).sorted()
  }

  /// Carries one file, or its first bytes; removes it if it is gone.
  static func carry(
    _ path: String, from source: TestDevice, to target: TestDevice, firstBytes count: Int? = nil
  ) throws {
    guard let contents = try contents(of: path, in: source) else {
      return try TestDirectory.remove(target.container + "/" + path)
    }
    let file = URL(fileURLWithPath: target.container + "/" + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.prefix(count ?? .max).write(to: file, options: .atomic)
  }

  /// Returns the contents of a file; `nil` if there is none.
  static func contents(of path: String, in device: TestDevice) throws -> Data? {
    let full = device.container + "/" + path
    guard FileManager.default.fileExists(atPath: full) else { return nil }
    return try Data(contentsOf: URL(fileURLWithPath: full))
  }

  private static func isOf(_ peers: Set<String>, _ path: String) -> Bool {
    path.split(separator: "/").contains { peers.contains(String($0)) }
  }

  /// The files below a directory, with their contents, which are small in tests.
  private static func files(below directory: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory) {
      let full = directory + "/" + path
      var isDirectory: ObjCBool = false
      // Temporary files of writers stay where they are.
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory),
        !isDirectory.boolValue, !path.split(separator: "/").contains(where: { $0.hasPrefix(".") })
      else { continue }
      files[path] = try Data(contentsOf: URL(fileURLWithPath: full))
    }
    return files
  }
}
