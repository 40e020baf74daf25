import Glibc
import Synchronization
import TributaryFiles

/// A shell command of the user that runs after imports.
package struct ImportCommand: Sendable {
  private let text: String
  private let running: RunningCommands?
  private let fileLimit: UInt64?

  /// Held while a file is being opened that another child could inherit, which would keep the file open.
  private static let starting = Mutex(())

  package init(_ text: String) { self.init(text, among: nil) }

  /// Makes a command. If it runs among others, signals to the process group of this process do not reach it.
  ///
  /// - Parameter fileLimit: the number of files that it may have open; `nil` means as many as this process.
  init(_ text: String, among running: RunningCommands?, fileLimit: UInt64? = nil) {
    self.text = text
    self.running = running
    self.fileLimit = fileLimit
  }

  /// Runs `body`, which opens a file that no command may inherit, while none is started.
  static func whileNoneStarts<Result>(_ body: () -> Result) -> Result {
    starting.withLock { _ in body() }
  }

  /// Runs the command to its end, with `input` on its standard input. Its standard output goes to this
  /// process's standard error.
  ///
  /// - Throws: if it cannot be started or does not succeed.
  package func run(input: String) throws {
    func begin() throws -> (pid_t, Int32) { try Self.starting.withLock { _ in try start() } }
    let (child, end) = try running?.begin(text, begin) ?? begin()
    Self.withoutPipeSignal { Self.write(input, to: end) }
    close(end)
    if let running {
      var information = siginfo_t()
      // The process keeps its number until then, since another thread may be sending it a signal. If this
      // call fails, so does `waitpid`, which says why.
      _ = try? systemCall("waitid", on: text) {
        waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT)
      }
      running.didEnd(child)
    }
    var status: Int32 = 0
    try systemCall("waitpid", on: text) { waitpid(child, &status, 0) }
    guard status == 0 else {
      let reason =
        status & 0x7F == 0
        ? "ended with status \(status >> 8 & 0xFF)" : "died of signal \(status & 0x7F)"
      throw TextError("the command of --on-import \(reason): \(text); fix the command")
    }
  }

  /// Starts it.
  ///
  /// - Returns: the process, and the end of the pipe that leads to its standard input.
  private func start() throws(FileError) -> (pid_t, Int32) {
    var ends: [Int32] = [-1, -1]
    try systemCall("pipe", on: text) { pipe(&ends) }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do {
      return (try spawn(reading: ends[0]), ends[1])
    } catch {
      close(ends[1])
      throw error
    }
  }

  /// *posix_spawn(3)*
  private func spawn(reading input: Int32) throws(FileError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    // This process's results may be read as JSON, which nothing else may be mixed into.
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The child must receive the signals that are blocked or ignored here.
    var none = sigset_t()
    sigemptyset(&none)
    var ordinary = sigset_t()
    sigemptyset(&ordinary)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&ordinary, signal) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ordinary)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if running != nil { flags |= POSIX_SPAWN_SETPGROUP }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words = words.map { word in word.withCString { strdup($0) } } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    try threadCall("posix_spawn", on: "/bin/sh") {
      posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, environ)
    }
    return child
  }

  /// The words that start the shell.
  private var words: [String] {
    guard let fileLimit else { return ["sh", "-c", "--", text] }
    // A shell sets the limit and then becomes the shell that runs the command. Nothing else can run between
    // the start of a process and the start of its program.
    return ["sh", "-c", "ulimit -S -n \(fileLimit); exec sh -c -- \"$0\"", text]
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = Glibc.write(
          descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written > 0 {
          rest = rest.dropFirst(written)
        } else if errno != EINTR {
          // The command need not read its input.
          return
        }
      }
    }
  }

  /// Keeps SIGPIPE away from this thread, however the process handles the signal.
  private static func withoutPipeSignal(_ body: () -> Void) {
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    body()
    var now = timespec()
    while sigtimedwait(&pipe, nil, &now) == SIGPIPE {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
