/// The result of the command for its caller.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  /// The command failed.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
  /// Done as far as possible, but damage or differences were found.
  case damage = 3
  /// The output no longer has a reader. This is the status that a shell shows for a death by
  /// SIGPIPE.
  case closedOutput = 141

  /// Returns the combined status of several operations: failure before damage before success.
  func combined(with other: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [.done, .damage, .failed, .usage, .closedOutput]
    let index = max(order.firstIndex(of: self) ?? 0, order.firstIndex(of: other) ?? 0)
    return order[index]
  }
}
