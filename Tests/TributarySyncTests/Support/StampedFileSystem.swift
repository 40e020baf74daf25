import Foundation
import Synchronization
import TributaryFiles
import TributaryTesting

/// The file system of the machine, except that a directory's stamp tells which files are in it, whatever their
/// contents. Notes what is listed and opened in the container.
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
      // Of the same files in the same order, whatever the time. A file that is replaced is another one.
      var entries: [String] = []
      for name in try base.list(directory).map(\.name).sorted() {
        let file = try base.status(directory.appending(component: name))?.identity.inode
        entries.append("\(name) \(file ?? 0)")
      }
      var files: Int64 = 0
      for byte in entries.joined(separator: "/").utf8 { files = files &* 31 &+ Int64(byte) }
      stamps.append(DirectoryStamp(identity: status.identity, changedNanoseconds: files))
    }
    return stamps
  }
}
