import Glibc

/// Another program, run to its end. Foundation's `Process` notices the end only some 40 ms later.
enum ChildProcess {
  /// Runs the program.
  ///
  /// - Parameter silent: whether to discard its output.
  /// - Throws: `BenchmarkError` if it cannot be started or fails.
  static func run(_ arguments: [String], silent: Bool = false) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if silent { posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    var status: Int32 = 0
    guard posix_spawn(&identifier, arguments[0], &actions, nil, &words, environ) == 0,
      waitpid(identifier, &status, 0) == identifier
    else { throw BenchmarkError("\(arguments[0]) cannot be started") }
    guard status == 0 else { throw BenchmarkError("failed: \(arguments.joined(separator: " "))") }
  }
}
