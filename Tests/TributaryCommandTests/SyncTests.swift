import Foundation
import Testing
import TributaryCommand

struct SyncTests {
  @Test func `what one store writes another one imports`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, x'00'), (2, 'two', NULL, NULL)")
      stores.sql("a", "INSERT INTO pairs VALUES ('x', 1, 'v'); DELETE FROM tracks WHERE id = 2")
      let published = Invocation("sync", "--json", stores.path("a"))
      let peer = try peer(of: "a", stores)
      let size = try Data(contentsOf: URL(filePath: try stores.segments()[0])).count
      #expect(published.status == .done)
      #expect(
        published.output == """
          {"store":"\(stores.path("a"))",\
          "published":{"transactions":2,"segments":1,"bytes":\(size)},\
          "imported":{"transactions":0,"peers":{},"changes":{}},"waiting":[],"conflicts":0}

          """)
      let imported = Invocation("sync", "--json", stores.path("b"))
      #expect(imported.status == .done)
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(imported.output.utf8)) as? [String: Any])
      let changes = try #require(object["imported"] as? [String: Any])
      #expect(changes["transactions"] as? Int == 2)
      #expect((changes["peers"] as? [String: [Int]]) == [peer: [1, 2]])
      let schema = try JSONSchema(named: "sync")
      for line in published.lines + imported.lines { try schema.check(line) }
      let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output }
      #expect(digests[0] == digests[1])
      #expect(digests[0].wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
      #expect(Invocation("verify", stores.path("b")).status == .done)
    }
  }

  @Test func `several stores are synchronised, whatever becomes of one`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      let run = Invocation(
        "sync", stores.path("a"), stores.path("nowhere"), stores.path("b"), "--json")
      #expect(run.status == .failed)
      #expect(run.lines.count == 2)
      #expect(run.errors.contains(stores.path("nowhere")))
      #expect(stores.sql("b", "SELECT title FROM tracks") == "one\n")
    }
  }

  @Test func `text says what has happened, unless it is not wanted`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL), (2, 'two', 1.0, NULL)")
      let words = ["sync", stores.path("a"), stores.path("b")]
      #expect(
        Invocation(words: words).output == """
          \(stores.path("a")): published 1 transaction in 1 segment
          \(stores.path("b")): imported 1 transaction from 1 peer: 2 rows inserted

          """)
      #expect(Invocation(words: words).lines.allSatisfy { $0.hasSuffix(": nothing new") })
      #expect(Invocation(words: words + ["--quiet"]).output.isEmpty)
    }
  }

  @Test func `without the container it fails, and the store is unharmed`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      try FileManager.default.moveItem(
        atPath: stores.container, toPath: stores.container + " away")
      let run = Invocation("sync", stores.path("a"), "--json")
      #expect(run.status == .failed)
      #expect(run.lines.count == 1)
      #expect(run.errors.contains(stores.container) && run.errors.contains(";"))
      #expect(Invocation("sync", stores.path("a")).output.isEmpty)
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
      stores.sql("a", "INSERT INTO tracks VALUES (2, 'two', 1.0, NULL)")
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: false)
      #expect(Invocation("sync", stores.path("a")).status == .failed)
      let reseeded = Invocation("sync", stores.path("a"), "--reseed")
      #expect(reseeded.status == .done, "\(reseeded.errors)")
      #expect(reseeded.output.contains("published 2 transactions"))
    }
  }

  @Test func `a damaged file is named and set aside, and the rest imported`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let segment = try stores.segments()[0]
      var data = try Data(contentsOf: URL(filePath: segment))
      data[data.count - 60] ^= 1
      try data.write(to: URL(filePath: segment))
      #expect(stores.attach("c").status == .damage)
      stores.sql("c", "SELECT 1")
      let run = Invocation("sync", stores.path("b"), "--json")
      #expect(run.status == .damage)
      #expect(run.errors.hasPrefix("tributary: set aside: \(segment)"))
      #expect(run.errors.components(separatedBy: segment).count == 2)
      for line in run.lines { try JSONSchema(named: "sync").check(line) }
    }
  }

  @Test func `a damaged segment is no success of verify, which names it`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a"), stores.path("b")).status == .done)
      #expect(Invocation("verify", stores.path("a")).status == .done)
      let segment = try stores.segments()[0]
      var data = try Data(contentsOf: URL(filePath: segment))
      data[data.count - 60] ^= 1
      try data.write(to: URL(filePath: segment))
      let run = Invocation("verify", stores.path("a"))
      #expect(run.status == .damage)
      #expect(run.output.contains(segment))
      #expect(run.output.contains("no difference, 1 damaged file"))
    }
  }

  @Test func `a file that is not whole yet is named, and nothing is wrong`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let segment = URL(filePath: try stores.segments()[0])
      let whole = try Data(contentsOf: segment)
      try whole.dropLast(9).write(to: segment)
      let run = Invocation("sync", stores.path("b"))
      #expect(run.status == .done)
      #expect(run.output == "\(stores.path("b")): nothing could be imported\n")
      #expect(run.errors.contains(segment.path) && run.errors.contains("has not arrived whole yet"))
      // As it was left a day ago, whatever its size.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -86_400)], ofItemAtPath: segment.path)
      let late = Invocation("sync", stores.path("b"))
      #expect(late.status == .damage)
      #expect(late.errors.contains("set aside: \(segment.path)"))
      try whole.write(to: segment)
      #expect(Invocation("sync", stores.path("b")).status == .done)
    }
  }

  @Test func `what cannot be imported is no success, and is said once`() throws {
    try withStores { stores in
      // Otherwise, the column would come with what needs it.
      #expect(stores.attach("b", "--no-follow-schema").status == .done)
      // Before its first import it has no tables, and takes those that the others have.
      stores.sql("a", "INSERT INTO tracks VALUES (7, 'x', 1, NULL)")
      #expect(Invocation("sync", stores.path("a"), stores.path("b")).status == .done)
      stores.sql(
        "a",
        """
        ALTER TABLE tracks ADD COLUMN more TEXT;
        INSERT INTO tracks VALUES (1, 'w', 1, NULL, 'y')
        """)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      for words in [["sync", stores.path("b")], ["sync", stores.path("b"), "--json", "--quiet"]] {
        let run = Invocation(words: words)
        #expect(run.status == .damage)
        #expect(run.errors.contains("a column more of table tracks that does not exist here"))
        #expect(run.errors.filter { $0 == "\n" }.count == 1)
      }
    }
  }

  @Test func `a command learns of imports by its standard input`() throws {
    try withStores { stores in
      let log = stores.directory + "/imports"
      let words = ["sync", stores.path("b"), "--json", "--on-import", "cat >> '\(log)'"]
      #expect(Invocation(words: words).status == .done)
      #expect(!FileManager.default.fileExists(atPath: log))
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let run = Invocation(words: words)
      let told = try String(contentsOfFile: log, encoding: .utf8)
      #expect(told == run.output)
    }
  }

  @Test(arguments: [("exit 7", "ended with status 7"), ("kill -9 $$", "died of signal 9")])
  func `a failing command is reported and stops nothing`(
    command: String, reason: String
  ) throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      let run = Invocation("sync", stores.path("a"), stores.path("b"), "--on-import", command)
      #expect(run.status == .done)
      #expect(run.errors.hasPrefix("tributary: the command of --on-import \(reason): "))
    }
  }

  @Test func `the status says how a store stands`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a"), stores.path("b")).status == .done)
      stores.sql("b", "DELETE FROM tracks")
      let run = Invocation("status", stores.path("b"), "--json")
      #expect(run.status == .done)
      #expect(run.lines.count == 1)
      try JSONSchema(named: "status").check(run.lines[0])
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
      #expect(object["store"] as? String == stores.path("b"))
      #expect(object["container"] as? String == stores.container)
      #expect(object["name"] as? String == "Library")
      #expect(object["unpublished"] as? Int == 1)
      let peers = try #require(object["peers"] as? [[String: Any]])
      #expect(peers.map { $0["name"] as? String } == ["B", "A"])
      #expect(peers.map { $0["sequence"] as? Int } == [1, 1])
      let text = Invocation("status", stores.path("b"))
      #expect(text.status == .done)
      #expect(text.output.contains("unpublished: 1 transaction\n"))
      #expect(text.output.contains("  B (this store)\n"))
    }
  }

  @Test func `the digest of each table is in the JSON`() throws {
    try withStores { stores in
      let run = Invocation("digest", stores.path("a"), "--json")
      #expect(run.status == .done)
      try JSONSchema(named: "digest").check(run.lines[0])
      let total = Invocation("digest", stores.path("a")).output.dropLast()
      #expect(
        run.output.hasPrefix(
          "{\"store\":\"\(stores.path("a"))\",\"digest\":\"\(total)\",\"tables\":{\"pairs\":\""))
    }
  }

  @Test func `verify finds what is not in the logs, and rebuild mends it`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1.0, NULL)")
      let good = Invocation("verify", stores.path("a"))
      #expect(good.status == .done)
      #expect(good.output == "\(stores.path("a")): 1 transaction replayed, no difference\n")
      #expect(Invocation("verify", stores.path("a"), "-q").output.isEmpty)
      let digest = Invocation("digest", stores.path("a")).output
      // What the triggers have captured is gone, and the time of the file is as before, as if a disk had
      // changed it.
      let shell = Process()
      shell.executableURL = URL(filePath: "/usr/bin/env")
      shell.arguments = [
        "python3", "-c",
        "import os, sqlite3, sys; s = os.stat(sys.argv[1]); c = sqlite3.connect(sys.argv[1]); "
          + "c.execute(\"UPDATE tracks SET title = 'changed'\"); "
          + "c.execute('DELETE FROM tributary_journal_tracks'); c.commit(); c.close(); "
          + "os.utime(sys.argv[1], ns=(s.st_atime_ns, s.st_mtime_ns))", stores.path("a"),
      ]
      try shell.run()
      shell.waitUntilExit()
      try #require(shell.terminationStatus == 0)
      let bad = Invocation("verify", stores.path("a"))
      #expect(bad.status == .damage)
      #expect(bad.lines.count == 2)
      #expect(bad.lines[0].contains("tracks") && bad.lines[0].contains("changed"))
      #expect(bad.lines[1].hasSuffix("1 transaction replayed, 1 difference"))
      let rebuilt = Invocation("rebuild", stores.path("a"))
      #expect(rebuilt.status == .done)
      #expect(rebuilt.output == "\(stores.path("a")): rebuilt from 1 transaction\n")
      let kept = stores.path("a") + "-before-rebuilding"
      #expect(
        rebuilt.errors
          == "warning: no log has 1 row as the store had them: they are in \(kept); write into the store "
          + "what of them is to stay\n")
      #expect(Invocation("digest", stores.path("a")).output == digest)
    }
  }

  private func peer(of name: String, _ stores: StoreFixture) throws -> String {
    let run = Invocation("status", stores.path(name), "--json")
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return try #require(object?["peer"] as? String)
  }
}
