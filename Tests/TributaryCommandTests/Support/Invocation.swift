import Synchronization
import TributaryCommand

/// What one run of the command came to.
struct Invocation {
  let status: ExitStatus
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs a command line in this process.
  ///
  /// - Parameters:
  ///   - input: standard input; `nil` stands for a terminal.
  ///   - terminal: whether both outputs are terminals.
  init(_ words: String..., input: String? = nil, terminal: Bool = false, colours: Bool = false) {
    self.init(words: words, input: input, terminal: terminal, colours: colours)
  }

  init(words: [String], input: String? = nil, terminal: Bool = false, colours: Bool = false) {
    let output = Collector()
    let errors = Collector()
    status = CommandRunner.run(
      words,
      to: Output(
        standardOutput: output.append, standardError: errors.append, isTerminal: terminal,
        isErrorTerminal: terminal, allowsColours: colours, input: { input.map { Array($0.utf8) } }))
    self.output = output.text
    self.errors = errors.text
  }
}

/// Keeps what is printed.
final class Collector: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  func append(_ more: UnsafeRawBufferPointer) { bytes.withLock { $0 += more } }
}
