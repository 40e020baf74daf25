import Foundation
import Testing
import TributaryTesting

/// The way of somebody who has just come to the project.
struct ReadmeTests {
  private static let readme = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "README.md")

  /// The blocks of code in a section.
  private func blocks(of section: String) throws -> [String] {
    let text = try String(contentsOf: Self.readme, encoding: .utf8)
    let start = try #require(text.range(of: "\n## \(section)\n"))
    let rest = text[start.upperBound...]
    let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
    let parts = rest[..<end].components(separatedBy: "```")
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
  }

  @Test func `its first commands make two databases that are the same`() throws {
    let blocks = try blocks(of: "The command in five minutes")
    try #require(blocks.count >= 2)
    #expect(blocks[0].contains("swift build -c release --product tributary"))
    let lines = blocks[1].split(separator: "\n").map { line in
      // It goes on until it is interrupted.
      line.contains("--watch")
        ? "\(line.prefix { $0 != "#" }) & watch=$!; kill -TERM $watch; wait $watch || true"
        : String(line)
    }
    #expect(lines.contains { $0.contains("watch=") })
    try withTemporaryDirectory { directory in
      let end = try Shell(
        "set -e; cd \"$0\"; PATH=\"$1:$PATH\"\n" + lines.joined(separator: "\n"), directory,
        URL(filePath: try CommandProcess.path).deletingLastPathComponent().path
      ).finish()
      #expect(end.status == 0, "\(end.output)")
      let digests = ["phone", "laptop"].map {
        Invocation("digest", "\(directory)/\($0).sqlite").output
      }
      #expect(digests[0] == digests[1] && !digests[0].isEmpty)
      let titles = Invocation("sql", directory + "/phone.sqlite", "SELECT title FROM album")
      #expect(titles.output.contains("Kind of Blue"))
    }
  }
}
