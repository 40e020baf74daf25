import Synchronization
import TributaryFiles

/// The real file system, where the system refuses what a test says.
final class RefusingFileSystem: SteppingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let refusal = Mutex<@Sendable (FileOperation, String) -> Int32?>({ _, _ in nil })

  /// Has operations fail.
  ///
  /// - Parameter refusal: returns the error number for an operation on a path; `nil` if it may take place.
  func refuse(_ refusal: @escaping @Sendable (FileOperation, String) -> Int32?) {
    self.refusal.withLock { $0 = refusal }
  }

  func step(_ operation: FileOperation, _ path: String) throws(FileError) {
    guard let code = refusal.withLock({ $0 })(operation, path) else { return }
    throw FileError(operation: operation.rawValue, path: path, code: code)
  }
}
