import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// Databases made of logs whose tables need an SQLite extension.
struct LogExtensionTests {
  private func withStore(_ body: (StoreFixture, String) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let file = try ExtensionFixture.build(in: directory)
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      let connection = try Connection(path: stores.path("a"), mode: .create, extensions: [file])
      try connection.execute(
        """
        CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT COLLATE backwards,
          loud TEXT AS (shout(title)) STORED);
        CREATE INDEX byTitle ON song (title);
        INSERT INTO song (id, title) VALUES (1, 'one'), (2, 'two')
        """)
      connection.close()
      #expect(stores.attach("a", "--load-extension", file).status == .done)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      try body(stores, file)
    }
  }

  @Test func `a database is made of logs with the extension that its tables need`() throws {
    try withStore { stores, file in
      let copy = stores.directory + "/copy.db"
      let without = Invocation("log", "replay", stores.container, "-o", copy)
      #expect(without.status == .failed && without.errors.contains("--load-extension"))
      #expect(!FileManager.default.fileExists(atPath: copy))
      let run = Invocation(
        "log", "replay", stores.container, "-o", copy, "--load-extension", file)
      #expect(run.status == .done, "\(run.errors)")
      let connection = try Connection(path: copy, mode: .readWrite, extensions: [file])
      #expect(
        try connection.integer(
          "SELECT group_concat(loud) = 'two!,one!' FROM song INDEXED BY byTitle")
          == 1)
      connection.close()
    }
  }

  @Test(arguments: [["blame"], ["diff"]])
  func `diff and blame take it too`(words: [String]) throws {
    try withStore { stores, file in
      let words = ["log"] + words + [stores.container]
      let without = Invocation(words: words)
      #expect(without.status == .failed && without.errors.contains("--load-extension"))
      let run = Invocation(words: words + ["--load-extension", file])
      #expect(run.status == .done && run.output.contains("one"), "\(run.errors)")
    }
  }
}
