internal import Glibc

/// Asks for the status of many paths, relative to the directory that they have in common. Resolving each path
/// from the root again takes the system longer than answering.
struct StatusReader: ~Copyable {
  /// AT_FDCWD if whole paths are looked up.
  private let directory: Int32
  /// The bytes of each path up to that directory.
  private let prefix: Int

  /// For fewer paths, opening a directory costs more than it saves.
  private static let fewest = 32

  /// Opens the directory, if there is one and this is worthwhile.
  init(of paths: [String]) {
    let prefix = Self.commonPrefix(paths)
    let opened =
      prefix > 1
      ? open(
        String(decoding: paths[0].utf8.prefix(prefix), as: UTF8.self),
        O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
    // Looking up whole paths reports the errors, too.
    (directory, self.prefix) = opened < 0 ? (AT_FDCWD, 0) : (opened, prefix)
  }

  deinit { if directory != AT_FDCWD { close(directory) } }

  /// Returns the status of one of the paths, following links; `nil` if it names nothing.
  func status(_ path: String) throws(FileError) -> stat? {
    var status = stat()
    do {
      try systemCall("stat", on: path) {
        path.withCString { bytes in
          var rest = bytes + prefix
          // A path that begins with a slash would be relative to the root, and an empty path names nothing.
          while prefix > 0, rest.pointee == UInt8(ascii: "/") { rest += 1 }
          return rest.pointee == 0 && prefix > 0
            ? fstatat(directory, ".", &status, 0) : fstatat(directory, rest, &status, 0)
        }
      }
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
    return status
  }

  /// Returns the number of bytes that all paths have in common, up to and including a slash.
  private static func commonPrefix(_ paths: [String]) -> Int {
    guard paths.count >= fewest else { return 0 }
    let first = Array(paths[0].utf8)
    var count = first.count
    for path in paths.dropFirst() {
      var path = path
      path.withUTF8 { bytes in
        let limit = min(count, bytes.count)
        // Usually, there is nothing more to do.
        if limit == count, memcmp(bytes.baseAddress!, first, count) == 0 { return }
        count = (0..<limit).first { bytes[$0] != first[$0] } ?? limit
      }
    }
    return first[..<count].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
  }
}
