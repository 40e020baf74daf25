import Glibc

extension Output {
  /// Returns the streams of this process.
  static func standard() -> Output {
    let isDumb = environment("TERM") == "dumb"
    return Output(
      standardOutput: { bytes throws(OutputError) in try writeAll(bytes, to: STDOUT_FILENO) },
      standardError: { bytes throws(OutputError) in try writeAll(bytes, to: STDERR_FILENO) },
      isTerminal: isatty(STDOUT_FILENO) == 1,
      isErrorTerminal: isatty(STDERR_FILENO) == 1 && !isDumb,
      // https://no-color.org: any value but the empty one.
      allowsColours: (environment("NO_COLOR") ?? "").isEmpty && !isDumb,
      input: { isatty(STDIN_FILENO) == 1 ? nil : try WholeFile.read(descriptor: STDIN_FILENO) })
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        // Another process has set the shared terminal or pipe to non-blocking.
        var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&place, 1, -1)
      } else if errno != EINTR {
        throw errno == EPIPE ? .closed : .failed(code: errno)
      }
    }
  }
}
