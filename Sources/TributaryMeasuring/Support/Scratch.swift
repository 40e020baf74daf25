import Foundation
import Glibc

/// A directory for the files of a run, removed at its end.
final class Scratch {
  let path: String
  private var number = 0

  init(in parent: String) throws {
    path = parent + "/tributary-benchmark.\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // The system's own cleanup removes what cannot be removed here.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { path + "/" + name }

  func makeDirectory(_ name: String) throws -> String {
    number += 1
    let directory = file("\(name)-\(number)")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory
  }

  /// Calls `body` with a copy of a database whose bytes have reached the disk, so that writing them
  /// out does not interfere.
  func withCopy<Result>(of original: String?, _ body: (String) throws -> Result) throws -> Result {
    number += 1
    let copy = file("copy-\(number).db")
    defer { remove(database: copy) }
    if let original {
      guard (try? FileManager.default.attributesOfItem(atPath: original + "-wal")) == nil else {
        throw BenchmarkError("\(original) is still open")
      }
      try FileManager.default.copyItem(atPath: original, toPath: copy)
      try synchronize(copy)
      // The modification time tells a store that no other program has written.
      try setTime(of: copy, from: original)
    }
    return try body(copy)
  }

  private func setTime(of path: String, from original: String) throws {
    var status = stat()
    guard stat(original, &status) == 0,
      utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) == 0
    else { throw BenchmarkError("the time of \(path) cannot be set") }
  }

  func synchronize(_ path: String) throws {
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw BenchmarkError("\(path) cannot be synced") }
  }

  func remove(directory: String) {
    // What cannot be removed now is removed with the scratch directory.
    try? FileManager.default.removeItem(atPath: directory)
  }

  func remove(database: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(database + suffix) }
  }

  func size(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }
}
