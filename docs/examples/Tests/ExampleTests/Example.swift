import Foundation
import Testing

/// An example program, as a user of one device runs it.
struct Example {
  let name: String
  let environment: [String: String]

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs the program to its end.
  func run(_ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = Self.directory.appending(path: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files, since a pipe that nobody reads would stop the program.
    let files = try (0..<2).map { _ in
      let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try Data().write(to: path)
      return path
    }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  /// Runs the program, which must succeed, and returns what it prints.
  @discardableResult
  func callAsFunction(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let outcome = try run(arguments)
    #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    return outcome.output
  }

  /// Where the programs are: beside this test.
  fileprivate static let directory = URL(filePath: CommandLine.arguments[0])
    .deletingLastPathComponent()
}

extension Example {
  /// A program that runs until it is told to stop.
  final class Service {
    private let process: Process
    private let output: FileHandle
    private var rest: [UInt8] = []

    fileprivate init(_ process: Process, _ output: FileHandle) {
      self.process = process
      self.output = output
    }

    /// Waits for the next line that it prints.
    func line() throws -> String {
      while !rest.contains(UInt8(ascii: "\n")) {
        let more = output.availableData
        guard !more.isEmpty else { throw Ended() }
        rest += more
      }
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))!
      defer { rest.removeFirst(end + 1) }
      return String(decoding: rest[..<end], as: UTF8.self)
    }

    func interrupt() { process.terminate() }

    /// Waits for its end, and returns its exit status.
    @discardableResult
    func end() -> Int32 {
      if process.isRunning { process.terminate() }
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  struct Ended: Error {}

  /// Starts the program.
  func start(_ arguments: String...) throws -> Service {
    let process = Process()
    process.executableURL = Self.directory.appending(path: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return Service(process, output.fileHandleForReading)
  }
}
