/// What the command tells the one who started it.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  /// It could not be done.
  case failed = 1
  /// The command line is wrong.
  case usage = 2
  /// Done as far as possible, and damage or differences were found.
  case damage = 3
  /// Nobody reads the output any more: what a shell shows for a death by SIGPIPE.
  case closedOutput = 141

  /// The one that counts when several things were done: failure before damage before success.
  func combined(with other: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [.done, .damage, .failed, .usage, .closedOutput]
    let index = max(order.firstIndex(of: self) ?? 0, order.firstIndex(of: other) ?? 0)
    return order[index]
  }
}
