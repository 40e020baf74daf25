import Foundation
import TributaryFiles
import TributaryTesting

/// A `tributary-contender` that runs.
final class Contender: Sendable {
  let lines = Recorded<String>()
  let errors = Recorded<String>()
  private let process = Process()
  private let input = Pipe()

  init(_ ground: Ground, _ mode: String, _ arguments: String...) throws {
    let output = Pipe()
    let complaints = Pipe()
    process.executableURL = URL(filePath: try BuiltExecutable.path("tributary-contender"))
    process.arguments = ["\(ground.runtime)/boot", mode, ground.root] + arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = complaints
    try process.run()
    let (lines, errors) = (lines, errors)
    _ = try WorkerThread(name: "reading") {
      var rest = Data()
      while true {
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { break }
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          lines.append(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      let last = complaints.fileHandleForReading.readDataToEndOfFile()
      if !last.isEmpty { errors.append(String(decoding: last, as: UTF8.self)) }
      lines.append("end")
    }
  }

  var number: Int32 { process.processIdentifier }

  /// Has it go on that waits for a line.
  func tell() { input.fileHandleForWriting.write(Data("\n".utf8)) }

  /// Kills it.
  ///
  /// - Throws: if it had ended by itself.
  func kill() throws {
    let isRunning = process.isRunning
    Glibc.kill(number, SIGKILL)
    process.waitUntilExit()
    try eventually { lines.all.last == "end" }
    guard isRunning, errors.all.isEmpty, !lines.all.contains(where: { $0.hasPrefix("failed") })
    else { throw EndedByItself(lines: lines.all.suffix(3), errors: errors.all) }
  }

  struct EndedByItself: Error {
    let lines: [String]
    let errors: [String]
  }
}
