import Glibc
import TributaryFiles
import TributarySQLite
import TributaryStore

/// A path with `*`, `?` or `[…]` that stands for the stores whose paths match. *glob(7)*
enum StorePattern {
  static func isPattern(_ path: String) -> Bool {
    guard path.contains(where: { "*?[".contains($0) }) else { return false }
    // A file may be called like a pattern; what cannot be examined is none.
    return ((try? LocalFileSystem().status(path)) ?? nil) == nil
  }

  /// Returns the stores that match, in the order of their paths.
  ///
  /// - Parameter passedOver: receives the files that match and are no stores.
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

  /// Whether a file is a store, or cannot say so now because a program has locked it: that is tried again.
  private static func mayBeStore(_ path: String) -> Bool {
    do {
      return try LocalStore.isAttached(at: path)
    } catch {
      // Whatever else cannot be opened as a store is named.
      return (error as? SQLiteError)?.isBusy == true
    }
  }

  /// Whether a file belongs to a database beside it.
  private static func isCompanion(_ path: String) -> Bool {
    ["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
  }

  private static func paths(_ pattern: String) throws(FileError) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    switch glob(pattern, 0, nil, &found) {
    case 0:
      return (0..<Int(found.gl_pathc)).compactMap { index in
        found.gl_pathv[index].flatMap { String(validatingCString: $0) }
      }
    case GLOB_NOMATCH: return []
    case GLOB_NOSPACE: throw FileError(operation: "glob", path: pattern, code: ENOMEM)
    default: throw FileError(operation: "glob", path: pattern, code: EIO)
    }
  }
}
