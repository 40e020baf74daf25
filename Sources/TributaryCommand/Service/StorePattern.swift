import Glibc
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A path with `*`, `?` or `[…]` that stands for the stores whose paths match. *glob(7)*
enum StorePattern {
  /// Whether a text has the form of a pattern. A file's name may have this form too.
  static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

  /// Returns the status of a file; `nil` if it does not exist or cannot be examined.
  static func status(_ path: String) -> FileStatus? {
    // A disk that is not mounted yet must not end the service. Opening the file reports why it cannot be
    // examined.
    (try? LocalFileSystem().status(path)) ?? nil
  }

  /// Returns a pattern that only this path matches.
  static func escaped(_ path: String) -> String {
    path.reduce(into: "") { pattern, character in
      if "*?[\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
  }

  /// Returns the stores that match, in the order of their paths.
  ///
  /// - Parameter passedOver: receives the files that match but are not stores.
  static func stores(_ pattern: String, passedOver: inout [String]) throws -> [String] {
    var stores: [String] = []
    for path in try paths(pattern) where !isCompanion(path) {
      if mayBeStore(path) {
        stores.append(path)
      } else {
        passedOver.append(path)
      }
    }
    return stores
  }

  /// Whether a file is a store or might be one. A file that is locked, damaged or unreadable is served; like
  /// any store that cannot be opened, it is reported and tried again.
  private static func mayBeStore(_ path: String) -> Bool {
    // A dangling link, or a file that cannot be examined, may be a store on a disk that is not mounted.
    if let status = status(path), status.kind != .file { return false }
    do {
      return try LocalStore.isAttached(at: path)
    } catch let error as SQLiteError where error.isDamage {
      // Only stores have witnesses. None are visible in a directory that cannot be searched.
      return status(path + StoreWitness.suffix) != nil
    } catch {
      return true
    }
  }

  /// Whether a file belongs to a database beside it.
  private static func isCompanion(_ path: String) -> Bool {
    ["-wal", "-shm", "-journal", StoreWitness.suffix].contains { path.hasSuffix($0) }
  }

  private static func paths(_ pattern: String) throws(FileError) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    switch glob(pattern, 0, nil, &found) {
    case 0:
      return (0..<Int(found.gl_pathc)).compactMap { index in
        // A file whose name is not UTF-8 can match, but is not a store.
        found.gl_pathv[index].map { String(cString: $0) }
      }
    case GLOB_NOMATCH: return []
    case GLOB_NOSPACE: throw FileError(operation: "glob", path: pattern, code: ENOMEM)
    default: throw FileError(operation: "glob", path: pattern, code: EIO)
    }
  }
}
