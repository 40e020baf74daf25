import Foundation
import Glibc
import TributaryTesting

/// The command as a process of its own, for what cannot be seen within one.
final class CommandProcess {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()

  /// The executable that was built beside the tests.
  static var path: String {
    get throws { try BuiltExecutable.path("tributary") }
  }

  var identifier: pid_t { process.processIdentifier }

  /// - Parameter discardingOutput: for so much of it that nobody would read it.
  /// - Parameter environment: variables beside those of this process.
  /// - Parameter fileLimit: its soft limit of open files; `nil` means that of this process.
  init(
    _ words: [String], discardingOutput: Bool = false, environment: [String: String] = [:],
    limitingFilesTo fileLimit: Int? = nil
  ) throws {
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = URL(filePath: try fileLimit == nil ? Self.path : "/bin/sh")
    process.arguments = words
    if let fileLimit {
      process.arguments =
        ["-c", "ulimit -Sn \(fileLimit); exec \"$0\" \"$@\"", try Self.path] + words
    }
    process.standardOutput =
      discardingOutput ? FileHandle.nullDevice as Any : output
    // A pipe that nobody reads fills up, and the command waits for ever.
    process.standardError = discardingOutput ? FileHandle.nullDevice as Any : errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// The next line of standard output; `nil` at its end.
  func nextLine() -> String? { Self.nextLine(of: output) }

  /// The next line of standard error; `nil` at its end.
  func nextErrorLine() -> String? { Self.nextLine(of: errors) }

  private static func nextLine(of pipe: Pipe) -> String? {
    var line: [UInt8] = []
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end.
  func finish() throws -> (status: Int32, rest: String, errors: String) {
    // Where nothing was written into it, it would have no end.
    try output.fileHandleForWriting.close()
    try errors.fileHandleForWriting.close()
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    let errors = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: rest, as: UTF8.self),
      String(decoding: errors, as: UTF8.self)
    )
  }
}
