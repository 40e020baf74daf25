import Foundation
import Testing
import TributaryMeasuring
import TributaryTesting

struct CountingProgramTests {
  private static let limits = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "tools/counts.json")

  @Test func `a limit below what is counted makes the program fail and say so anywhere`() throws {
    let figure = "capture: insert, 100 rows/txn: SQLite's steps a row"
    try withTemporaryDirectory { directory in
      let file = URL(filePath: directory + "/limits.json")
      let present = try CountLimits(Array(Data(contentsOf: Self.limits)))
      let limit = try #require(present[figure]).most
      let text = try String(contentsOf: Self.limits, encoding: .utf8)
      let line = #""figure":"\#(figure)","limit":"#
      #expect(text.contains(line + "\(limit)"))
      try text.replacing(line + "\(limit)", with: line + "1").write(
        to: file, atomically: true, encoding: .utf8)

      let deep = directory + String(repeating: "/a-directory-with-a-long-name", count: 10)
      try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
      let result = try run(["--limits", file.path, "--directory", deep])
      #expect(result.status == 1)
      let findings = result.errors.split(separator: "\n")
      #expect(findings.count == 1)
      #expect(
        findings.first?.hasPrefix("tributary-counts: \(figure): counted \(limit), its limit is 1. ")
          == true)
    }
  }

  private func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: try BuiltExecutable.path("tributary-counts"))
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
