import Glibc
import Synchronization
import TributaryFiles

/// The real file system, where something happens right before an operation on a file.
final class VanishingFileSystem: ForwardingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let trap = Mutex<Trap?>(nil)

  // Unchecked: whoever sets it waits for who springs it.
  private struct Trap: @unchecked Sendable {
    var operation: String
    var name: String
    var time: Int
    var action: () throws -> Void
  }

  /// Has `action` happen once.
  ///
  /// - Parameter name: the name of the file, or the end of its path.
  /// - Parameter time: before the first such operation, or a later one.
  func before(
    _ operation: String, _ name: String, time: Int = 1, _ action: @escaping () throws -> Void
  ) {
    let trap = Trap(operation: operation, name: name, time: time, action: action)
    self.trap.withLock { $0 = trap }
  }

  /// Has an operation find nothing, once.
  ///
  /// - Parameter time: the first such operation, or a later one.
  func deny(_ operation: String, _ name: String, time: Int = 1) {
    before(operation, name, time: time) {
      throw FileError(operation: operation, path: name, code: ENOENT)
    }
  }

  private func spring(_ operation: String, _ path: String) throws(FileError) {
    let sprung = trap.withLock { trap -> Trap? in
      guard let known = trap, known.operation == operation, "/\(path)".hasSuffix("/\(known.name)")
      else { return nil }
      trap?.time -= 1
      if known.time > 1 { return nil }
      trap = nil
      return known
    }
    do {
      try sprung?.action()
    } catch {
      if let error = error as? FileError, error.isMissing { throw error }
      fatalError("\(error)")
    }
  }

  func list(_ directory: String) throws(FileError) -> [DirectoryEntry] {
    try spring("list", directory)
    return try base.list(directory)
  }

  func open(_ path: String) throws(FileError) -> any ReadableFile {
    try spring("open", path)
    return try base.open(path)
  }

  func status(_ path: String) throws(FileError) -> FileStatus? {
    try spring("status", path)
    return try base.status(path)
  }
}
