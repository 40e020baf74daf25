import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

/// What reading many rows takes.
struct RowMemoryTests {
  private static let rows = 300_000

  @Test func `memory does not grow with the rows that are lent`() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/store.db"
      let connection = try Connection(path: path, mode: .create)
      // 60 MB.
      try connection.execute(
        """
        CREATE TABLE shared (id INTEGER PRIMARY KEY);
        CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
        INSERT INTO word SELECT i, printf('%.200c', 'x') FROM n
        """)
      connection.close()
      try Attachment(
        identity: StoreIdentity(
          peer: PeerIdentity(high: 1, low: 2), peerName: "a", container: directory,
          contentRoot: "tributary", contentName: "C"),
        selection: .except(["word"]), migrations: []
      ).perform(at: path, adopts: true)
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(filePath: try BuiltExecutable.path("tributary-crash"))
      process.arguments = ["rows", path, "SELECT text FROM word"]
      process.standardOutput = output
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let numbers = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .compactMap { Int($0) }
      try #require(numbers.count == 2)
      #expect(numbers[0] == Self.rows)
      // SQLite keeps 2 MB of pages.
      #expect(numbers[1] < 6000, "\(numbers[1]) KB")
    }
  }
}
