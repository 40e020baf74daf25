import Glibc
import Synchronization
package import TributaryFiles

/// The real file system, except that one operation does not return until it is released, as on a
/// network mount whose server is gone. It is then performed after all, late.
package final class HangingFileSystem: SteppingFileSystem {
  private struct State {
    var count = 0
    /// The number of the operation that hangs, counted from 1; `nil` for none.
    var hanging: Int?
    var hangs = false
    var isReleased = false
  }

  package let base: any FileSystem = LocalFileSystem()
  private let state = Mutex(State())
  private let part: String

  /// Makes the file system.
  ///
  /// - Parameters:
  ///   - number: the number of the operation that hangs, counted from 1.
  ///   - part: only operations on paths that contain this text are counted.
  package init(at number: Int?, inPathsWith part: String) {
    self.part = part
    state.withLock { $0.hanging = number }
  }

  /// Whether the operation was reached.
  package var wasReached: Bool { state.withLock { $0.hangs } }

  /// Whether the operation was reached and has not returned.
  package var isHanging: Bool { state.withLock { $0.hangs && !$0.isReleased } }

  /// The number of operations.
  package var count: Int { state.withLock { $0.count } }

  /// Makes a later operation hang, counted from the next one.
  package func hang(after number: Int = 1) {
    state.withLock {
      $0.hanging = $0.count + number
      $0.hangs = false
      $0.isReleased = false
    }
  }

  /// Releases the operation. No later operation hangs.
  package func release() { state.withLock { $0.isReleased = true } }

  package func step(_ operation: FileOperation, _ path: String) {
    guard path.contains(part) else { return }
    let hangs = state.withLock { state in
      state.count += 1
      if state.count == state.hanging { state.hangs = true }
      return state.count == state.hanging
    }
    while hangs, !state.withLock({ $0.isReleased }) { usleep(1000) }
  }
}
