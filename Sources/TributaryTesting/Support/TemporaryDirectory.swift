import Foundation

/// Calls `body` with the path of a new, empty directory, and afterwards removes the directory with
/// all its contents.
///
/// The directory is in memory, in `/dev/shm`, if that is a file system in memory with enough space,
/// and otherwise in `TMPDIR` or `/tmp`.
package func withTemporaryDirectory<Result>(
  _ body: (String) throws -> Result
) throws -> Result {
  let path = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(path) }
  return try body(path)
}

/// Calls an asynchronous `body` with the path of a new, empty directory, and afterwards removes the
/// directory with all its contents.
package func withTemporaryDirectory<Result>(
  isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
  let path = try makeTemporaryDirectory()
  defer { removeTemporaryDirectory(path) }
  return try await body(path)
}

private func makeTemporaryDirectory() throws -> String {
  StateOfTests.keepApart
  return try makeDirectory()
}

private func makeDirectory() throws -> String {
  let parent = memoryDirectory ?? ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
  var template = Array("\(parent)/tributary-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: parent])
  }
  return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private func removeTemporaryDirectory(_ path: String) {
  // A test may have made part of it unwritable, or removed it. What then remains does no harm.
  try? FileManager.default.removeItem(atPath: path)
}

/// `/dev/shm`, unless it is not in memory, nearly full, or inaccessible.
private var memoryDirectory: String? {
  let path = "/dev/shm"
  let enough: UInt = 1 << 29
  var facts = statvfs()
  guard mountsMemory(at: path), statvfs(path, &facts) == 0,
    facts.f_bavail * facts.f_frsize >= enough,
    access(path, W_OK | X_OK) == 0
  else { return nil }
  return path
}

private func mountsMemory(at path: String) -> Bool {
  // If it cannot be read, the other directory is used.
  let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
  return mounts.split(separator: "\n").contains { line in
    let fields = line.split(separator: " ")
    return fields.count > 2 && fields[1] == path && fields[2] == "tmpfs"
  }
}

/// The directory in which the stores of tests, and of processes that tests start, leave their
/// witnesses.
private enum StateOfTests {
  /// Keeps them separate from the user's.
  static let keepApart: Void = {
    // Every test that needs one will fail anyway.
    guard let path = try? makeDirectory() else { return }
    setenv("XDG_STATE_HOME", path, 1)
    directory = path
    atexit { StateOfTests.remove() }
  }()

  nonisolated(unsafe) private static var directory = ""

  private static func remove() { removeTemporaryDirectory(directory) }
}
