import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a store has and no log does, when it is rebuilt.
struct RebuildLossTests {
  private static let script = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT UNIQUE);
    CREATE TABLE w (a TEXT, b BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID;
    """

  private func rows(_ path: String, _ query: String) throws -> [[String]] {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare(query)
    var rows: [[String]] = []
    while try statement.step() { rows.append(statement.values.map { "\($0)" }) }
    return rows
  }

  /// As a program does that knows nothing of the store, and of which nothing tells: not even the file's time.
  private func write(_ path: String, _ script: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    let nanoseconds = try #require(connection.writtenNanoseconds)
    try connection.execute(script)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(connection.setWritten(nanoseconds: nanoseconds))
  }

  @Test func `rows that no log has are set aside as they were, and others are not`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      do {
        let a = try devices.open("a", Self.script)
        try a.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')")
        try a.execute("INSERT INTO w VALUES ('x', x'01')")
        try a.exchange()
        try a.execute("INSERT INTO t VALUES (4, 'unpublished')")
      }
      let path = devices.path("a")
      try write(
        path,
        """
        INSERT INTO t VALUES (9, 'foreign'); UPDATE t SET v = 'changed' WHERE id = 2;
        DELETE FROM t WHERE id = 3; INSERT INTO w VALUES ('y', x'ff')
        """)
      let report = try Engine.rebuild(store: path)
      let kept = try #require(report.setAside)
      #expect(report.transactions == 3 && kept.rows == 3)
      #expect(
        try rows(kept.path, "SELECT id, v FROM t ORDER BY id")
          == rows(kept.path, "VALUES (2, 'changed'), (9, 'foreign')"))
      #expect(try rows(kept.path, "SELECT a, b FROM w") == rows(kept.path, "VALUES ('y', x'ff')"))
      // An ordinary file: it is no store.
      #expect(try !LocalStore.isAttached(at: kept.path))
      #expect(
        try SyncSession(store: path).rows("SELECT v FROM t ORDER BY id")
          == ["one", "two", "three", "unpublished"])
      // With nothing to lose there is no file.
      #expect(try Engine.rebuild(store: path).setAside == nil)
      #expect(!FileManager.default.fileExists(atPath: kept.path + "-2"))
    }
  }

  @Test func `a commit whose record was lost before it was published is recorded again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      do {
        let a = try devices.open("a", Self.script)
        try a.execute("INSERT INTO t VALUES (1, 'one')")
        try a.exchange()
        try a.execute("INSERT INTO t VALUES (2, 'two')")
      }
      let path = devices.path("a")
      try write(path, "DELETE FROM tributary_outbox WHERE sequence = 2")
      let report = try Engine.rebuild(store: path)
      #expect(report.setAside == nil && report.transactions == 2)
      let a = try SyncSession(store: path)
      let b = try devices.open("b")
      for session in [a, b] { try session.exchange() }
      for session in [a, b] {
        #expect(try session.rows("SELECT v FROM t ORDER BY id") == ["one", "two"])
      }
    }
  }

  @Test func `rows that are held are not taken for lost`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      do {
        let a = try devices.open("a", Self.script)
        let b = try devices.open("b", Self.script)
        try a.execute("INSERT INTO t VALUES (1, 'same')")
        try b.execute("INSERT INTO t VALUES (2, 'same'), (1, 'other')")
        try exchange(a, b)
        try exchange(a, b)
        #expect(try a.conflicts().count == 1)
      }
      for name in ["a", "b"] {
        #expect(try Engine.rebuild(store: devices.path(name)).setAside == nil)
      }
    }
  }
}
