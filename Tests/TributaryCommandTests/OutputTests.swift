import Synchronization
import Testing
import TributaryCommand

struct OutputTests {
  @Test func `a reader that goes away ends the command quietly`() {
    let errors = Collector()
    let output = Output(
      standardOutput: { _ throws(OutputError) in throw .closed }, standardError: errors.append)
    #expect(CommandRunner.run(["--help"], to: output) == .closedOutput)
    #expect(errors.text.isEmpty)
  }

  @Test func `a full disk is an error`() {
    let errors = Collector()
    let output = Output(
      standardOutput: { _ throws(OutputError) in throw .failed(code: 28) },
      standardError: errors.append)
    #expect(CommandRunner.run(["--help"], to: output) == .failed)
    #expect(errors.text.hasPrefix("tributary: write standard output: No space left on device; "))
  }

  @Test func `a write that is committed is so when nothing can be printed`() throws {
    try withStores { stores in
      let errors = Collector()
      let output = Output(
        standardOutput: { _ throws(OutputError) in throw .failed(code: 28) },
        standardError: errors.append)
      let script = "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL); SELECT * FROM tracks"
      #expect(CommandRunner.run(["sql", stores.path("a"), script], to: output) == .failed)
      #expect(errors.text.contains("No space left on device; what the script wrote is committed; "))
      #expect(stores.sql("a", "SELECT title FROM tracks") == "one\n")
      #expect(CommandRunner.run(["sync", stores.path("a")], to: output) == .failed)
      #expect(
        errors.text.contains("a.db is synchronised as far as possible")
          || errors.text.contains("is synchronised"))
    }
  }

  @Test func `without a terminal, output comes in large pieces`() throws {
    let counter = Mutex<[Int]>([])
    let counts = Counts(counter)
    let output = Output(
      standardOutput: { bytes in counts.value.withLock { $0.append(bytes.count) } },
      standardError: { _ in })
    for _ in 0..<20_000 { try output.line("0123456789") }
    try output.flush()
    let pieces = counts.value.withLock { $0 }
    #expect(pieces.reduce(0, +) == 220_000)
    #expect(pieces.count == 4)
  }

  private final class Counts: Sendable {
    let value: Mutex<[Int]>
    init(_ value: consuming Mutex<[Int]>) { self.value = value }
  }

  @Test func `progress is shown on a terminal and taken away before anything else`() throws {
    let errors = Collector()
    let output = Output(
      standardOutput: { _ in }, standardError: errors.append, isErrorTerminal: true)
    ProgressLine(output).show("verifying", done: 1, total: 2)
    output.problem("no")
    #expect(errors.text == "\r\u{1B}[Kverifying 50 %\r\u{1B}[Ktributary: no\n")
  }

  @Test(arguments: [(false, false), (true, true)])
  func `progress is not shown to programs, nor where quiet is wanted`(
    terminal: Bool, quiet: Bool
  ) {
    let errors = Collector()
    let output = Output(
      standardOutput: { _ in }, standardError: errors.append, isErrorTerminal: terminal)
    output.isQuiet = quiet
    ProgressLine(output).show("verifying", done: 1, total: nil)
    output.note("a note")
    #expect(errors.text == (quiet ? "" : "tributary: a note\n"))
  }

  @Test func `a problem is one line whatever it says`() {
    let errors = Collector()
    Output(standardOutput: { _ in }, standardError: errors.append).problem("a\nb\u{1B}[2J")
    #expect(errors.text == "tributary: a\\nb\\x1b[2J\n")
  }
}
