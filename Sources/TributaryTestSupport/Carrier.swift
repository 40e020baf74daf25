import Foundation

/// Carries files between the containers of devices, as Syncthing and the like do.
enum Carrier {
  /// Makes what another device has equal here, except for the directories that this device itself writes: each file has
  /// one writer.
  static func carry(from source: TestDevice, to target: TestDevice) throws {
    let kept = try target.ownDirectories()
    let authored = try source.ownDirectories()
    let here = try files(below: target.container)
    let there = try files(below: source.container)
    for (path, facts) in there where here[path] != facts && !isOf(kept, path) {
      // What others have written, they change; a carrier does not bring back older versions.
      if here[path] != nil, !isOf(authored, path) { continue }
      try copy(path, from: source.container, to: target.container)
    }
    // Only its writer removes a file.
    for path in here.keys where there[path] == nil && isOf(authored, path) {
      try TestDirectory.remove(target.container + "/" + path)
    }
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

  private static func copy(_ path: String, from source: String, to target: String) throws {
    let file = URL(fileURLWithPath: target + "/" + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(contentsOf: URL(fileURLWithPath: source + "/" + path)).write(
      to: file, options: .atomic)
  }
}
