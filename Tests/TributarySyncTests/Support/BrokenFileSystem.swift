import Glibc
import Synchronization
import TributaryFiles
import TributaryTesting

/// The real file system, where all operations of a kind fail below some directory as long as they are told to,
/// and where something else may happen with each.
final class BrokenFileSystem: SteppingFileSystem {
  enum Operations {
    case reading, writing
  }

  let base: any FileSystem = LocalFileSystem()
  private let part: String
  private let broken = Mutex<(code: Int32, operations: [Operations])?>(nil)

  /// - Parameter part: of the paths where operations fail.
  init(inPathsWith part: String) { self.part = part }

  func fail(_ operations: [Operations], code: Int32) {
    broken.withLock { $0 = (code, operations) }
  }

  private let companion = Mutex<(@Sendable () -> Void)?>(nil)

  /// Has something happen before every operation below that directory; `nil` for nothing.
  func beforeEach(_ body: (@Sendable () -> Void)?) { companion.withLock { $0 = body } }

  func mend() { broken.withLock { $0 = nil } }

  func step(_ operation: FileOperation, _ path: String) throws(FileError) {
    guard path.contains(part), let kind = operation.kind else { return }
    companion.withLock { $0 }?()
    guard let broken = broken.withLock({ $0 }), broken.operations.contains(kind) else { return }
    throw FileError(operation: operation.rawValue, path: path, code: broken.code)
  }

  func makeDirectories(_ path: String) throws(FileError) {
    if try base.status(path) != nil { return }
    try step(.makeDirectories, path)
    try base.makeDirectories(path)
  }
}

extension FileOperation {
  /// `nil` for what always succeeds.
  fileprivate var kind: BrokenFileSystem.Operations? {
    switch self {
    case .list, .status, .resolve, .open, .read: .reading
    case .makeDirectories, .makeTemporary, .write, .synchronize, .rename, .synchronizeDirectory,
      .remove:
      .writing
    case .close, .discard: nil
    }
  }
}
