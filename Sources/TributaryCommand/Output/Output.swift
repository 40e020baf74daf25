import Synchronization

/// The streams that a command prints to and reads from, so that it runs the same way in a terminal
/// and in a test.
///
/// Results go to standard output, through a buffer; everything else goes to standard error. Each
/// call is atomic, so threads may share an output.
package final class Output: Sendable {
  /// Writes all the bytes.
  package typealias Sink = @Sendable (UnsafeRawBufferPointer) throws(OutputError) -> Void

  private struct State {
    var buffer: [UInt8] = []
    var isQuiet = false
    var isShowingProgress = false
    var done: String?
  }

  private let state = Mutex(State())
  private let standardOutput: Sink
  private let standardError: Sink
  private let input: @Sendable () throws -> [UInt8]?

  /// Whether standard output is a terminal.
  package let isTerminal: Bool
  /// Whether standard error is a terminal.
  package let isErrorTerminal: Bool
  /// Whether standard output is a terminal that may show colours.
  package let showsColours: Bool

  private static let bufferByteCount = 64 << 10

  /// Makes an output.
  ///
  /// - Parameters:
  ///   - allowsColours: whether the environment allows colours.
  ///   - input: returns all of standard input; `nil` if it is a terminal.
  package init(
    standardOutput: @escaping Sink, standardError: @escaping Sink, isTerminal: Bool = false,
    isErrorTerminal: Bool = false, allowsColours: Bool = true,
    input: @escaping @Sendable () throws -> [UInt8]? = { nil }
  ) {
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.isTerminal = isTerminal
    self.isErrorTerminal = isErrorTerminal
    showsColours = isTerminal && allowsColours
    self.input = input
  }

  /// Whether to print only results and errors.
  package var isQuiet: Bool {
    get { state.withLock { $0.isQuiet } }
    set { state.withLock { $0.isQuiet = newValue } }
  }

  /// What has been done, as a clause, even if none of it can be printed.
  var done: String? { state.withLock { $0.done } }

  /// Records what has been done, in case printing fails from here on.
  func hasDone(_ text: String) { state.withLock { $0.done = text } }

  /// Reads all of standard input; `nil` if it is a terminal.
  func readInput() throws -> [UInt8]? { try input() }

  // MARK: Standard output

  func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
    try state.withLock { state throws(OutputError) in
      if isTerminal { clearProgress(&state) }
      state.buffer.append(contentsOf: bytes)
      if isTerminal || state.buffer.count >= Self.bufferByteCount { try flush(&state) }
    }
  }

  func write(_ text: String) throws(OutputError) { try write(text.utf8) }

  package func line(_ text: String) throws(OutputError) { try write(text + "\n") }

  /// Confirms that something was done, unless quiet.
  func confirm(_ text: String) throws(OutputError) {
    if !isQuiet { try line(text) }
  }

  package func flush() throws(OutputError) {
    try state.withLock { state throws(OutputError) in try flush(&state) }
  }

  private func flush(_ state: inout State) throws(OutputError) {
    guard !state.buffer.isEmpty else { return }
    // Discarded even on failure: what cannot be printed now would only fail again.
    defer { state.buffer.removeAll(keepingCapacity: true) }
    try state.buffer.span.bytes.withUnsafeBytes { (bytes) throws(OutputError) in
      try standardOutput(bytes)
    }
  }

  /// Returns text for printing: escaped for a terminal, unchanged for a program.
  func shown(_ text: String) -> String { isTerminal ? Escaping.escaped(text) : text }

  // MARK: Standard error

  /// Reports a failure, always in one line.
  package func problem(_ text: String) { writeError("tributary: \(Escaping.escaped(text))\n") }

  /// Prints a remark that is not a failure, unless quiet.
  package func note(_ text: String) {
    if !isQuiet { writeError("tributary: \(Escaping.escaped(text))\n") }
  }

  /// Prints a warning about something that may behave unexpectedly, unless quiet.
  package func warn(_ text: String) {
    if !isQuiet { writeError("warning: \(Escaping.escaped(text))\n") }
  }

  func writeError(_ text: String) {
    state.withLock { state in
      clearProgress(&state)
      putError(text)
    }
  }

  /// Shows progress, on a terminal only; the next call replaces it.
  func showProgress(_ text: String) {
    state.withLock { state in
      guard isErrorTerminal, !state.isQuiet else { return }
      putError("\r\u{1B}[K" + Escaping.escaped(text))
      state.isShowingProgress = true
    }
  }

  func clearProgress() { state.withLock { clearProgress(&$0) } }

  private func clearProgress(_ state: inout State) {
    guard state.isShowingProgress else { return }
    state.isShowingProgress = false
    putError("\r\u{1B}[K")
  }

  private func putError(_ text: String) {
    var text = text
    text.withUTF8 {
      // There is nowhere left to report to.
      try? standardError(UnsafeRawBufferPointer($0))
    }
  }
}
