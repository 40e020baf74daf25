import Foundation
import Testing
import TributaryFuzzing

/// The inputs that fuzzing has found worth keeping; `tools/fuzz` says where they come from.
struct CorpusTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus")

  private func files(_ folder: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: folder), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzMode.allCases)
  func `what must be true of any bytes is true of the corpus`(mode: FuzzMode) throws {
    let files = try files(mode.folder)
    try #require(files.count > 5)
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      #expect(FuzzMode(choosing: try #require(bytes.first)) == mode, "\(file.lastPathComponent)")
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try FuzzInput.run(bytes) }
    }
  }

  @Test func `each folder belongs to a mode`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(names.sorted() == FuzzMode.allCases.map(\.folder).sorted())
  }

  @Test func `a first byte chooses what the rest is taken for, and an empty input does nothing`()
    throws
  {
    for byte: UInt8 in 0...255 {
      #expect(FuzzMode(choosing: byte) == FuzzMode(rawValue: byte % 8) ?? .file)
    }
    try FuzzInput.run([])
  }
}
