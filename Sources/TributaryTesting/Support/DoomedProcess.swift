import Foundation

/// A `tributary-crash` process, which works until it is killed.
package struct DoomedProcess {
  /// When it is to be killed.
  package let end: ContinuousClock.Instant
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  /// What a killed process has left behind.
  package struct Remains {
    /// What it has printed, line by line.
    package var lines: [String]
    /// What it has printed to standard error.
    package var complaint: String
    /// Whether it was still running when it was killed.
    package var wasRunning: Bool
  }

  /// Starts a process.
  ///
  /// - Parameter milliseconds: how long it may live.
  package init(arguments: [String], milliseconds: Int) throws {
    process.executableURL = URL(filePath: try BuiltExecutable.path("tributary-crash"))
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    end = .now + .milliseconds(milliseconds)
  }

  /// Waits until the process is to be killed. No test depends on its progress: the requirements hold whenever
  /// the kill comes.
  package func waitForEnd() { Thread.sleep(forTimeInterval: max(0, (end - .now) / .seconds(1))) }

  /// Kills the process.
  package func kill() throws -> Remains {
    let wasRunning = process.isRunning
    Glibc.kill(process.processIdentifier, SIGKILL)
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Remains(
      lines: String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init),
      complaint: String(decoding: complaint, as: UTF8.self), wasRunning: wasRunning)
  }
}
