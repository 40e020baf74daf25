import Glibc
import Synchronization

/// The import commands that are running, each in its own process group, so that a hanging one can be ended.
final class RunningCommands: Sendable {
  private struct State {
    var commands: [pid_t: String] = [:]
    var isTerminated = false
  }

  private let state = Mutex(State())

  /// The notice about running commands, shown while waiting for them to end; `nil` if none is running.
  var notice: String? {
    let texts = state.withLock { $0.commands.values.sorted() }
    guard !texts.isEmpty else { return nil }
    return "waiting for \(counted(texts.count, "command")) on import: "
      + "\(texts.joined(separator: "; ")); SIGTERM or SIGINT once more terminates them"
  }

  /// Ends the running commands, with the processes of their groups, and lets no other command start. The
  /// first call uses SIGTERM, which they may handle, and later calls use SIGKILL.
  func terminate() {
    state.withLock { state in
      // A command that has ended keeps its number until it is removed here.
      for group in state.commands.keys { kill(-group, state.isTerminated ? SIGKILL : SIGTERM) }
      state.isTerminated = true
    }
  }

  /// Starts a command.
  ///
  /// - Throws: what `start` throws, or an error if no command may start.
  func begin<Started>(
    _ text: String, _ start: () throws -> (pid_t, Started)
  ) throws -> (pid_t, Started) {
    try state.withLock { state in
      guard !state.isTerminated else {
        throw TextError(
          "the command of --on-import was not started, because commands were terminated: \(text); "
            + "it runs after the next start")
      }
      let started = try start()
      state.commands[started.0] = text
      return started
    }
  }

  /// Forgets a command, before another process can have its number.
  func didEnd(_ child: pid_t) { state.withLock { $0.commands[child] = nil } }
}
