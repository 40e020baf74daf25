internal import Glibc
internal import TributaryCore
internal import TributaryFiles

/// A directory for temporary files that no other process uses, in TMPDIR or /tmp. The next process removes
/// what a killed one has left there.
final class ScratchDirectory {
  /// The absolute path, without links.
  let path: String
  private let fileSystem: any FileSystem
  /// Tells others that the directory is in use, while this process lives.
  private let lock: FileLock?

  private static let prefix = "tributary-log."
  /// A younger directory may not be locked yet.
  private static let graceMilliseconds: UInt64 = 60_000

  /// Makes a directory.
  ///
  /// - Throws: `InspectionError` if none can be made.
  init(using fileSystem: any FileSystem) throws {
    self.fileSystem = fileSystem
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    Self.sweep(parent, fileSystem)
    var template = Array(parent.appending(component: Self.prefix + "XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else {
      throw InspectionError(
        "no temporary directory can be made in \(parent): \(String(cString: strerror(errno)))",
        remedy: "set TMPDIR to a directory with room")
    }
    let name = String(cString: made)
    path = try fileSystem.resolve(name) ?? name
    // On a file system without locks, it is an ordinary temporary directory.
    lock = try? FileLock.take(path)
  }

  private static func sweep(_ parent: String, _ fileSystem: any FileSystem) {
    // Whatever cannot be listed, examined, locked or removed belongs to someone else, or is gone: it is left,
    // and does no harm.
    let now = SystemClock().milliseconds()
    for entry in (try? fileSystem.list(parent)) ?? []
    where entry.kind == .directory && entry.name.hasPrefix(prefix) {
      let path = parent.appending(component: entry.name)
      guard let status = try? fileSystem.status(path),
        status.modifiedMilliseconds + graceMilliseconds < now,
        let lock = try? FileLock.take(path)
      else { continue }
      remove(path, fileSystem)
      _ = consume lock
    }
  }

  /// Removes the directory and its contents. What cannot be removed does no harm.
  func remove() { Self.remove(path, fileSystem) }

  private static func remove(_ path: String, _ fileSystem: any FileSystem) {
    for entry in (try? fileSystem.list(path)) ?? [] {
      let inner = path.appending(component: entry.name)
      if entry.kind == .directory {
        remove(inner, fileSystem)
      } else {
        try? fileSystem.remove(inner)
      }
    }
    try? fileSystem.remove(path)
  }
}
