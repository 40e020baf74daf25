import Foundation

/// The `tributary` command that was built beside this program.
enum BuiltCommand {
  /// Returns its path.
  ///
  /// - Throws: `BenchmarkError` if it does not exist.
  static func path() throws -> String {
    guard
      let command = Bundle.main.executableURL?.deletingLastPathComponent().appending(
        path: "tributary"),
      FileManager.default.isExecutableFile(atPath: command.path)
    else { throw BenchmarkError("there is no executable tributary beside this one") }
    return command.path
  }

  /// Runs it silently.
  ///
  /// - Returns: the seconds that it took.
  static func time(_ arguments: [String]) throws -> Double {
    let path = try path()
    return try seconds { try ChildProcess.run([path] + arguments, silent: true) }
  }
}
