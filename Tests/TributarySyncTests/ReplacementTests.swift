import Foundation
import Testing
import TributaryFiles
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// What happens to a database while its contents are put together anew.
struct ReplacementTests {
  @Test
  func `what is written while a rebuild goes on is there afterwards`() throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      _ = try Engine.attach(
        AttachRequest(store: path, container: directory + "/shared", contentName: "N"))
      try Self.write(to: path, "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      let failures = Recorded<String>()
      let threads = Recorded<WorkerThread>()
      _ = try Engine.rebuild(store: path) { progress in
        guard progress.stage == "indexing" else { return }
        let before = openDescriptors(of: path)
        do {
          for id in 2...5 {
            threads.append(
              try WorkerThread(name: "writer") {
                do {
                  try Contention.outwait {
                    try Self.write(to: path, "INSERT INTO t VALUES (\(id))")
                  }
                } catch {
                  failures.append("\(error)")
                }
              })
          }
          // With the database open they wait for its lock.
          try eventually { openDescriptors(of: path) >= before + 4 }
        } catch {
          failures.append("\(error)")
        }
      }
      #expect(threads.all.count == 4)
      for thread in threads.all { thread.join() }
      #expect(failures.all == [])
      let connection = try Connection(path: path, mode: .readWrite)
      #expect(try connection.integer("SELECT count(*) FROM t") == 5)
      #expect(try Engine.verify(store: path).differenceCount == 0)
    }
  }

  /// Opens a store for one write.
  private static func write(to path: String, _ sql: String) throws {
    try LocalStore(path: path, milliseconds: { 1 }).write { db in try db.execute(sql) }
  }

  @Test
  func `a rebuild through a link leaves the link and rebuilds what it leads to`() throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      let link = directory + "/link.sqlite"
      _ = try Engine.attach(
        AttachRequest(store: path, container: directory + "/shared", contentName: "N"))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      _ = try Engine.rebuild(store: link)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    }
  }

  @Test
  func `a database in UTF-16 is adopted, with names beyond ASCII`() throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      let made = try Connection(path: path, mode: .create)
      try made.execute(
        """
        PRAGMA encoding = 'UTF-16le';
        CREATE TABLE "größe 😀" ("ключ" TEXT PRIMARY KEY COLLATE NOCASE, v);
        INSERT INTO "größe 😀" VALUES ('ü😀', 'é'), ('b', x'00');
        CREATE TABLE t (a TEXT PRIMARY KEY);
        INSERT INTO t VALUES ('ā'), ('z'), ('Ω'), ('😀'), (char(65535));
        """)
      made.close()
      let report = try Engine.attach(
        AttachRequest(store: path, container: directory + "/shared", contentName: "N"))
      #expect(report.outcome == .adopted(rows: 7))
      #expect(try SyncSession(store: path).synchronize().published.transactions == 1)
      let other = directory + "/b.sqlite"
      _ = try Engine.attach(
        AttachRequest(store: other, container: directory + "/shared", contentName: "N"))
      let connection = try Connection(path: other, mode: .readWrite)
      #expect(
        try connection.integer(#"SELECT count(*) FROM "größe 😀" WHERE "ключ" = 'ü😀' AND v = 'é'"#)
          == 1)
      #expect(try Engine.verify(store: path).differenceCount == 0)
      let digests = try [path, other].map { try LocalStore(path: $0, milliseconds: { 1 }).digest() }
      #expect(digests[0] == digests[1])
    }
  }

  @Test func `a text that UTF-16 cannot store waits, and nothing is changed for it`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let path = devices.path("b")
      let made = try Connection(path: path, mode: .create)
      try made.execute(
        "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (k TEXT PRIMARY KEY); CREATE TABLE u (k TEXT PRIMARY KEY)"
      )
      made.close()
      let a = try devices.open(
        "a", "CREATE TABLE t (k TEXT PRIMARY KEY); CREATE TABLE u (k TEXT PRIMARY KEY)")
      let b = try devices.open("b")
      try a.execute("INSERT INTO t VALUES ('valid')")
      try a.execute("INSERT INTO t VALUES (CAST(x'FF41' AS TEXT)), (CAST(x'FE41' AS TEXT))")
      try a.exchange()
      let report = try b.synchronize()
      #expect(report.failure == nil && report.imported.transactions == 1)
      #expect(report.waiting.count == 1)
      #expect(report.delays.first?.explanation.contains("not valid UTF-8") == true)
      #expect(try b.rows("SELECT k FROM t") == ["valid"])
      try b.execute("INSERT INTO u VALUES ('goes on')")
      _ = try b.synchronize()
      _ = try a.synchronize()
      #expect(try a.rows("SELECT k FROM u") == ["goes on"])
      #expect(try Engine.verify(store: path).differenceCount == 0)
    }
  }

  @Test(arguments: [
    "CREATE TABLE t (rowid, _rowid_, oid); INSERT INTO t VALUES (1, 2, 3)",
    "CREATE TABLE t (a TEXT PRIMARY KEY); INSERT INTO t VALUES (NULL)",
    "CREATE TABLE p (a INTEGER PRIMARY KEY); "
      + "CREATE TABLE t (a INTEGER PRIMARY KEY REFERENCES p); INSERT INTO t VALUES (7)",
  ])
  func `a database that cannot be adopted keeps every byte`(sql: String) throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      let made = try Connection(path: path, mode: .create)
      try made.execute(sql)
      made.close()
      let before = try Data(contentsOf: URL(filePath: path))
      var request = AttachRequest(
        store: path, container: directory + "/shared", contentName: "N")
      request.merge = MergeOptions(foreignKeys: .enforce)
      #expect(throws: StoreError.self) { try Engine.attach(request) }
      #expect(try Data(contentsOf: URL(filePath: path)) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [
          "a.sqlite", "shared",
        ])
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/shared") == [])
    }
  }

  @Test
  func `an empty database whose migrations make a table that cannot be replicated stays empty`()
    throws
  {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      try Data().write(to: URL(filePath: path))
      var request = AttachRequest(store: path, container: directory + "/shared", contentName: "N")
      request.migrations = [Migration(name: "1", sql: "CREATE TABLE t (rowid, _rowid_, oid)")]
      #expect(throws: StoreError.self) { try Engine.attach(request) }
      #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    }
  }
}
