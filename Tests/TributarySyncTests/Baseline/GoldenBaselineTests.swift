import Foundation
import Testing
import TributarySync
import TributaryTesting

/// A baseline that version 1 of the format has in people's containers. It is never made again; its name has the
/// hash of its bytes.
struct GoldenBaselineTests {
  private static let name = "0000000000000004-3fd213b6fa3a3e2d"
  private static let peer = "932ed707fb645b96b363bf163535fded"
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")
  private static var file: URL { folder.appending(path: name + ".lz4") }

  private static let schema = """
    CREATE TABLE album (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE track (id INTEGER PRIMARY KEY AUTOINCREMENT, album INTEGER REFERENCES album, title TEXT, plays INTEGER);
    CREATE TABLE pair (a TEXT, b INTEGER, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
    CREATE TABLE loose (x, y);
    """

  @Test(arguments: ["", "CREATE INDEX by_title ON track (title);"])
  func `a new store begins with it, with the schema of its writer or without its index`(
    more: String
  ) throws {
    try withTemporaryDirectory { directory in
      let container = directory + "/shared"
      let baselines = "\(container)/tributary/Golden/peers/\(Self.peer)/baseline"
      try FileManager.default.createDirectory(
        atPath: baselines, withIntermediateDirectories: true)
      let path = "\(baselines)/\(Self.name).lz4"
      try FileManager.default.copyItem(atPath: Self.file.path, toPath: path)
      var request = AttachRequest(
        store: directory + "/a.db", container: container, contentName: "Golden")
      request.migrations = [.init(name: "1", sql: Self.schema + more)]
      let report = try Engine.attach(request)
      #expect(report.baseline == path)
      #expect(report.outcome == .rebuilt(transactions: 12))
      let session = try SyncSession(store: request.store)
      #expect(
        try session.store.digest().total
          == "02e7258311bb11b65c779e1b1483b10b3b0c68b513dc2635dffcec8fb53c9258")
      #expect(
        try session.conflicts().map(\.id)
          == ["31f2724bf2f89beb", "575bd23d121cbd8d", "a452f2aee91cc13c"])
      #expect(try session.rows("SELECT title, typeof(title) FROM track WHERE id = 1") == ["ä|text"])
    }
  }

  @Test func `the second reader prints of it what it always has`() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(
      filePath: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "tools/readlog.py").path)
    process.arguments = [Self.file.path]
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try data == Data(contentsOf: Self.folder.appending(path: Self.name + ".json")))
  }
}
