import Foundation

/// Every file and directory below a path, with what shows whether it was written again.
package struct DirectoryImage: Equatable {
  private struct Entry: Equatable {
    var inode: UInt64
    var size: Int64
    var modified: Int64
    var changed: Int64
  }

  private var entries: [String: Entry] = [:]

  package init(of path: String) throws {
    guard let names = FileManager.default.enumerator(atPath: path) else {
      throw HarnessFailure("cannot list \(path)")
    }
    for case let name as String in names {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else {
        throw HarnessFailure("\(path)/\(name) disappeared while it was listed")
      }
      entries[name] = Entry(
        inode: UInt64(status.st_ino), size: Int64(status.st_size),
        modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
        changed: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec))
    }
  }

  /// Returns, in order, what is missing or different in `other`.
  package func difference(from other: DirectoryImage) -> [String] {
    Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted()
  }
}
