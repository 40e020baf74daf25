import CSodium
import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFuzzing
import TributaryLog
import TributaryTesting

/// Files that version 1 of the format has in people's containers.
struct GoldenTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")
  private static let secondReader = folder.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "tools/readlog.py")

  private func path(_ name: String) -> String { Self.folder.appending(path: name).path }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }

  /// What a program prints of a segment.
  private func output(_ program: String, _ arguments: [String]) throws -> [UInt8] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return Array(data)
  }

  private func sha256(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: crypto_hash_sha256_bytes())
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest.lowerHex
  }

  @Test(arguments: GoldenSegment.all)
  func `no golden file was made again`(golden: GoldenSegment) throws {
    for (suffix, digest) in zip([".lz4", ".json"], golden.digests) {
      #expect(sha256(try bytes(golden.name + suffix)) == digest, "\(golden.name)\(suffix)")
    }
  }

  @Test func `there are no others`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let known = GoldenSegment.all.flatMap { [$0.name + ".lz4", $0.name + ".json"] }
    #expect(names.sorted() == (known + ["README.md"]).sorted())
    let page = String(decoding: try bytes("README.md"), as: UTF8.self)
    for golden in GoldenSegment.all { #expect(page.contains("…\(golden.name.suffix(16)).lz4")) }
  }

  @Test(arguments: GoldenSegment.all)
  func `a name is right about its segment`(golden: GoldenSegment) throws {
    let bytes = try bytes(golden.name + ".lz4")
    let name = try #require(SegmentName(golden.name + ".lz4"))
    var reader = try SegmentReader(source: MemorySource(bytes), hashing: true)
    while try reader.nextTransaction() != nil {}
    #expect(reader.contentHash == name.hash)
    #expect([reader.header.first, reader.header.last] == [name.first, name.last])
  }

  @Test(arguments: GoldenSegment.all)
  func `the command prints what it always has`(golden: GoldenSegment) throws {
    let command = try BuiltExecutable.path("tributary")
    let found = try output(command, ["log", "show", "--json", path(golden.name + ".lz4")])
    #expect(found == (try bytes(golden.name + ".json")))
  }

  @Test(arguments: GoldenSegment.all)
  func `the second reader prints what it always has`(golden: GoldenSegment) throws {
    let found = try output(Self.secondReader.path, [path(golden.name + ".lz4")])
    #expect(found == (try bytes(golden.name + ".json")))
  }

  @Test(arguments: GoldenSegment.all)
  func `however it arrives, it reads the same, and is written again the same`(
    golden: GoldenSegment
  ) throws {
    try FuzzInput.run([FuzzMode.file.rawValue] + bytes(golden.name + ".lz4"))
  }

  @Test func `together they have every operation, collation and kind of value`() throws {
    var operations: Set<ChangeOperation> = []
    var collations: Set<Collation> = []
    var kinds: Set<ValueView.Kind> = []
    for golden in GoldenSegment.all {
      var reader = try SegmentReader(source: MemorySource(try bytes(golden.name + ".lz4")))
      while try reader.nextTransaction() != nil {
        while let change = try reader.nextChange() {
          operations.insert(change.operation)
          collations.formUnion(reader.shape(change.shapeID).keys.map(\.collation))
          var values = change.values
          while !values.isAtEnd { kinds.insert(try values.next().kind) }
        }
      }
    }
    #expect(operations == Set(ChangeOperation.allCases))
    #expect(collations == [.binary, .nocase, .rtrim])
    #expect(kinds == [.null, .integer, .real, .text, .blob, .absent])
  }
}
