import Glibc
import Synchronization
import TributaryFiles
import TributaryTesting

/// Does everything like the real one until one operation, counted from 1, fails.
final class FailingFileSystem: SteppingFileSystem {
  private struct State {
    var hasFailed = false
    var log: [FileOperation] = []
  }

  let base: any FileSystem = LocalFileSystem()
  let readLimit = 1000
  private let state = Mutex(State())
  private let failing: Int
  private let code: Int32

  init(at failing: Int, code: Int32) {
    self.failing = failing
    self.code = code
  }

  /// Whether the operation to fail was reached.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// The operations so far that can fail, in order.
  var log: [FileOperation] { state.withLock { $0.log } }

  func step(_ operation: FileOperation, _ path: String) throws(FileError) {
    if operation == .close || operation == .discard { return }
    let fails = state.withLock { state in
      state.log.append(operation)
      if state.log.count == failing { state.hasFailed = true }
      return state.log.count == failing
    }
    if fails { throw FileError(operation: operation.rawValue, path: path, code: code) }
  }
}
