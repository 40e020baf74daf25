import Foundation
import Synchronization
import TributaryFiles
import TributaryTesting

/// The file system of the machine, except that a directory's stamp tells which names are in it. Notes what is
/// listed and opened in the container.
final class StampedFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let uses = Mutex<[String]>([])
  private let opened = Mutex<[String]>([])
  /// Whether directories seem to have changed a moment ago.
  let isRestless = Atomic(false)

  func takeUses() -> [String] {
    uses.withLock { uses in
      defer { uses = [] }
      return uses
    }
  }

  /// Returns the paths of the files that were opened since this was last asked.
  func takeOpened() -> [String] {
    opened.withLock { opened in
      defer { opened = [] }
      return opened
    }
  }

  private func note(_ operation: String, _ path: String) {
    // Other files are the store's own.
    guard path.contains("/peers") else { return }
    uses.withLock { $0.append("\(operation) \(path.lastPathComponent)") }
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    note("list", directory)
    return try base.list(directory)
  }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    note("open", path)
    opened.withLock { $0.append(path) }
    return try base.open(path)
  }

  func stamps(_ directories: [String]) throws(FileError) -> [DirectoryStamp?] {
    var stamps: [DirectoryStamp?] = []
    for directory in directories {
      guard !isRestless.load(ordering: .relaxed), let status = try base.status(directory) else {
        stamps.append(nil)
        continue
      }
      // Of the same names in the same order, whatever the time.
      var names: Int64 = 0
      for byte in try base.list(directory).map(\.name).sorted().joined(separator: "/").utf8 {
        names = names &* 31 &+ Int64(byte)
      }
      stamps.append(DirectoryStamp(identity: status.identity, changedNanoseconds: names))
    }
    return stamps
  }
}
