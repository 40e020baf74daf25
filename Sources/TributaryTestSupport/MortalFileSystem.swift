import Glibc
import Synchronization
import TributaryFiles

/// The file system of a device, whose process can die before any operation.
final class MortalFileSystem: SteppingFileSystem {
  let base: any FileSystem = LocalFileSystem()
  private let state = Mutex(State.alive)

  private enum State {
    case alive
    /// Dies before one of the next operations, and then calls the function.
    case dying(operations: Int, death: @Sendable () -> Void)
    case dead
  }

  /// Has the process die before an operation of those that follow; 1 is the next one.
  ///
  /// - Parameter death: called at that moment, when nothing is in progress.
  func die(beforeOperation number: Int, _ death: @escaping @Sendable () -> Void) {
    state.withLock { $0 = .dying(operations: number, death: death) }
  }

  /// Whether the process has died.
  var isDead: Bool { state.withLock { if case .dead = $0 { true } else { false } } }

  /// Begins a new life.
  func revive() { state.withLock { $0 = .alive } }

  func step(_ operation: FileOperation, _ path: String) throws(FileError) {
    let isDead = state.withLock { state in
      switch state {
      case .alive: return false
      case .dead: return true
      case .dying(let operations, let death):
        state = operations > 1 ? .dying(operations: operations - 1, death: death) : .dead
        if operations > 1 { return false }
        death()
        return true
      }
    }
    if isDead { throw FileError(operation: operation.rawValue, path: path, code: EIO) }
  }
}
