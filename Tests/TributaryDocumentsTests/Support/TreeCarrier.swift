import Foundation
import TributaryTesting

/// Carries the files of directories to each other, one by one, in any order and with any delay, as Syncthing does.
struct TreeCarrier {
  private struct Version: Equatable {
    var number: Int
    /// `nil` for a file that was deleted; empty for a directory.
    var contents: Data?
    var isDirectory = false
  }

  let roots: [String]
  private var newest: [String: Version] = [:]
  /// What each directory has, as far as the carrier has seen.
  private var seen: [[String: Version]]
  private var number = 0
  private var conflicts = 0

  init(_ roots: [String]) {
    self.roots = roots
    seen = roots.map { _ in [:] }
  }

  /// Takes notice of what has changed in a directory.
  mutating func scan(_ place: Int) throws {
    var present: [String: (contents: Data, isDirectory: Bool)] = [:]
    for path in FileManager.default.enumerator(atPath: roots[place])?.allObjects as? [String] ?? []
    {
      guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
      var isDirectory: ObjCBool = false
      let full = roots[place] + "/" + path
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) else {
        continue
      }
      present[path] =
        isDirectory.boolValue
        ? (Data(), true) : (FileManager.default.contents(atPath: full) ?? Data(), false)
    }
    for (path, file) in present.sorted(by: { $0.key < $1.key }) {
      let old = seen[place][path]
      if old?.contents == file.contents, old?.isDirectory == file.isDirectory { continue }
      try change(
        path, in: place,
        Version(number: 0, contents: file.contents, isDirectory: file.isDirectory))
    }
    for (path, version) in seen[place].sorted(by: { $0.key < $1.key })
    where version.contents != nil && present[path] == nil {
      try change(path, in: place, Version(number: 0, contents: nil))
    }
  }

  private mutating func change(_ path: String, in place: Int, _ version: Version) throws {
    let known = seen[place][path]
    if let newest = newest[path], newest.number > known?.number ?? 0 {
      if newest.contents == version.contents {
        seen[place][path] = newest
        return
      }
      // Others have changed it as well. A deletion gives way; of two contents, the later becomes a copy.
      if version.contents == nil || version.isDirectory {
        if newest.contents != nil { seen[place][path] = Version(number: 0, contents: nil) }
        if version.contents == nil { return }
      } else if newest.contents != nil {
        conflicts += 1
        let name = Self.copyName(path, conflicts)
        let full = roots[place] + "/"
        try FileManager.default.moveItem(atPath: full + path, toPath: full + name)
        seen[place][path] = Version(number: 0, contents: nil)
        try change(name, in: place, version)
        return
      }
    }
    number += 1
    var stated = version
    stated.number = number
    newest[path] = stated
    seen[place][path] = stated
  }

  private static func copyName(_ path: String, _ number: Int) -> String {
    let url = URL(filePath: "/" + path)
    let stem = url.deletingPathExtension().path.dropFirst()
    return "\(stem).sync-conflict-20260101-\(100_000 + number)-ABCDEFG.\(url.pathExtension)"
  }

  /// Brings some of what a directory lacks.
  ///
  /// - Parameter chance: of each file, in a hundred.
  /// - Returns: whether something is still missing.
  @discardableResult
  mutating func deliver(
    to place: Int, chance: Int, _ random: inout SeededGenerator
  ) throws -> Bool {
    try scan(place)
    var isMissing = false
    for (path, version) in newest.sorted(by: { $0.key < $1.key })
    where version.number > seen[place][path]?.number ?? 0 {
      guard Int.random(in: 0..<100, using: &random) < chance else {
        isMissing = true
        continue
      }
      if try apply(version, to: path, in: place) {
        seen[place][path] = version
      } else {
        isMissing = true
      }
    }
    return isMissing
  }

  private func apply(_ version: Version, to path: String, in place: Int) throws -> Bool {
    let full = roots[place] + "/" + path
    guard let contents = version.contents else {
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) else {
        return true
      }
      // Only empty directories go, when what is in them has gone.
      return isDirectory.boolValue ? rmdir(full) == 0 : unlink(full) == 0
    }
    let parent = URL(filePath: full).deletingLastPathComponent().path
    try FileManager.default.createDirectory(
      atPath: version.isDirectory ? full : parent, withIntermediateDirectories: true)
    if !version.isDirectory { try contents.write(to: URL(filePath: full), options: .atomic) }
    return true
  }
}
