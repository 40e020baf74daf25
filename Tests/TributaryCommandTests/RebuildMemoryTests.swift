import Foundation
import Testing
import TributaryCommand
import TributaryTesting

/// What making a store anew needs where one transaction has changed rows all over a large table.
struct RebuildMemoryTests {
  private static let rows = 60_000

  @Test func `memory is bounded though a transaction has changed every page`() throws {
    try withStores { stores in
      // A page for each row; the log stays small, since they are all alike.
      stores.sql(
        "a",
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
        INSERT INTO pairs SELECT printf('%08d', i), 0, printf('%.3000c', 'x') FROM n
        """)
      stores.sql("a", "UPDATE pairs SET v = v || 'y' WHERE a LIKE '%5'")
      stores.sql("a", "DELETE FROM pairs WHERE a LIKE '%6'; UPDATE pairs SET v = v || 'z'")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let words = [
        "attach", stores.path("c"), "--container", stores.container, "--name", "Library",
      ]
      for words in [words, ["rebuild", stores.path("c")]] {
        let peak = try peakKilobytes(words)
        #expect(peak < 200_000, "\(words[0]): \(peak) KB")
      }
      #expect(stores.sql("c", "SELECT count(*), sum(length(v)) FROM pairs") != "")
    }
  }

  /// The most memory that the command has while it runs.
  private func peakKilobytes(_ words: [String]) throws -> Int {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "python3", "-c",
        """
        from resource import RUSAGE_CHILDREN, getrusage
        from subprocess import DEVNULL, run
        from sys import argv
        run(argv[1:], check=True, stdout=DEVNULL)
        print(getrusage(RUSAGE_CHILDREN).ru_maxrss)
        """, try CommandProcess.path,
      ] + words
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try #require(
      Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}
