import Synchronization

/// Lets a limited number of tasks run at a time. The others wait for their turn, in order, without a thread
/// and without an open file.
final class Turns: Sendable {
  private struct Waiting {
    var number: UInt64
    var turn: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var last: UInt64 = 0
    /// In ascending order of their numbers.
    var waiting: [Waiting] = []
  }

  private let state: Mutex<State>

  /// - Parameter count: the number of tasks that run at a time. Each reader has two open files.
  init(_ count: Int = 64) { state = Mutex(State(free: count)) }

  /// Waits for a turn, which lasts until `end`.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile. Its turn has not begun then.
  func begin() async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    let isTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        // A task that is cancelled later finds itself among those that wait.
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.free == 0 else {
            state.free -= 1
            return true
          }
          state.waiting.append(Waiting(number: number, turn: turn))
          return nil
        }
        if let answer { turn.resume(returning: answer) }
      }
    } onCancel: {
      giveUp(number)
    }
    if !isTurn { throw CancellationError() }
  }

  /// Ends a turn, so that the next one begins.
  func end() {
    let next = state.withLock { state -> Waiting? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.turn.resume(returning: true)
  }

  private func giveUp(_ number: UInt64) {
    let waiting = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
    }
    waiting?.turn.resume(returning: false)
  }
}
