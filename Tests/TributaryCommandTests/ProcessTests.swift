import Foundation
import Glibc
import Testing

struct ProcessTests {
  /// Runs a line of shell with the command as `$0`.
  private func shell(_ line: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", line, try CommandProcess.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test func `a closed pipe ends it as it ends other tools`() throws {
    let run = try shell(
      #"for i in {1..200}; do "$0" help help || exit; done | true; echo "${PIPESTATUS[0]}""#)
    #expect(run.output == "141\n")
  }

  @Test func `a full disk is reported`() throws {
    let run = try shell(#""$0" --help > /dev/full"#)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("tributary: write standard output: No space left on device; "))
  }

  @Test func `a word that is no text is refused`() throws {
    let run = try shell(#""$0" status $'\xff.db'"#)
    #expect(run.status == 2)
    #expect(run.output.contains("argument 2 of the command line is not valid UTF-8"))
  }

  @Test func `the exit statuses reach the shell`() throws {
    #expect(try shell(#""$0" --version"#).status == 0)
    #expect(try shell(#""$0" status /nowhere/store.db"#).status == 1)
    #expect(try shell(#""$0""#).status == 2)
  }
}
