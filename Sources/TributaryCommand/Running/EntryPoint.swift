import Glibc

/// Runs the command line of this process and ends it.
public func main() -> Never {
  // A service waits for SIGHUP later, and until then the signal must not kill it.
  blockReloads(SIG_BLOCK)
  // A vanished reader shows up as an error of write. At the end, the process dies of the signal
  // that the reader's absence would have raised.
  signal(SIGPIPE, SIG_IGN)
  // A limit on the size of files also shows up as an error of write.
  signal(SIGXFSZ, SIG_IGN)
  let output = Output.standard()
  let words = commandLineWords(to: output)
  if words.map({ !ServeCommand.isMeant(by: $0) }) ?? true { blockReloads(SIG_UNBLOCK) }
  let status = words.map { CommandRunner.run($0, to: output) } ?? .usage
  if status == .closedOutput {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
  exit(status.rawValue)
}

/// Blocks SIGHUP in this thread, or lets it through.
private func blockReloads(_ how: Int32) {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGHUP)
  pthread_sigmask(how, &set, nil)
}

/// Returns the words of this process's command line; `nil`, with a message, if one is not valid
/// text.
private func commandLineWords(to output: Output) -> [String]? {
  var words: [String] = []
  for index in 1..<max(1, Int(CommandLine.argc)) {
    guard let start = CommandLine.unsafeArgv[index] else { continue }
    guard let word = String(validatingCString: start) else {
      // `CommandLine.arguments` would repair the text, and so name another file or write another
      // value.
      output.problem("argument \(index) of the command line is not valid UTF-8; use UTF-8")
      return nil
    }
    words.append(word)
  }
  return words
}
