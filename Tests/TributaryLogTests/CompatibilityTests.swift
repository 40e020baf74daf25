import Foundation
import Testing
import TributaryCore
import TributaryFuzzing
import TributaryLog

struct CompatibilityTests {
  private static let page = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Schemas/log-format.md")

  /// The bytes of the rows `| offset | bytes | meaning |` under the page's worked example.
  private func pageBytes() throws -> [UInt8] {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "## Worked example").dropFirst().first)
    var bytes: [UInt8] = []
    for line in section.split(separator: "\n") where line.hasPrefix("| 0x") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let offset = try #require(Int(cells[0].dropFirst(2), radix: 16))
      #expect(offset == bytes.count, "offsets of the page do not follow each other")
      for digits in cells[1].split(separator: " ") {
        bytes.append(try #require(UInt8(digits, radix: 16)))
      }
    }
    return bytes
  }

  @Test func `the worked example of the page is what the writer makes`() throws {
    let (bytes, summary) = try SegmentModel.workedExample.written()
    #expect(try pageBytes() == bytes)
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    #expect(text.contains(summary.contentHash.lowerHex))
  }

  @Test func `the worked example of the page is read`() throws {
    #expect(try SegmentModel(reading: try pageBytes()) == .workedExample)
  }

  @Test func `the lz4 command prints the payload`() throws {
    let model = SegmentModel(seed: 50, transactionCount: 100, changesUpTo: 100)
    let (bytes, summary) = try model.written()
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).lz4")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }  // Left behind, it hurts nobody.
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["lz4", "-dc", file.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let payload = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(UInt64(payload.count) == summary.payloadSize)
    // The first transaction's changes are in it, as they were appended.
    var changes = ByteBuffer()
    for change in model.transactions[0].changes { change.encode(into: &changes) }
    #expect(payload.range(of: Data(changes.bytes)) != nil || changes.isEmpty)
  }
}
