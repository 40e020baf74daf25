import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that break a NOT NULL or CHECK which a migration has added: for a while, or until their author changes them.
struct BrokenConstraintTests {
  private static let older = Migration(
    name: "1", sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, w TEXT)")
  private static let stricter = Migration(
    name: "2",
    sql: """
      CREATE TABLE new (id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK (v <> ''), w TEXT);
      INSERT INTO new SELECT id, v, w FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
      """)

  private let rows = "SELECT id, v FROM t ORDER BY id"

  /// Two devices of the older schema; then `a` migrates, after it has mended a row.
  private func withTwoVersions(
    _ body: (SyncDevices, _ new: SyncSession, _ old: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.older.sql)
      let b = try devices.open("b", Self.older.sql)
      try a.execute("INSERT INTO t (id, v) VALUES (1, NULL), (2, 'two')")
      try exchange(a, b)
      try a.execute("UPDATE t SET v = 'was null' WHERE v IS NULL")
      try a.store.migrate([Self.older, Self.stricter])
      try a.exchange()
      try body(devices, a, b)
    }
  }

  @Test func `a new device gets everything but the transactions that break a constraint`() throws {
    try withTwoVersions { devices, a, b in
      try b.execute("INSERT INTO t (id, v) VALUES (10, 'ten')")
      try b.execute("INSERT INTO t (id, v) VALUES (11, NULL), (12, 'twelve')")
      try b.execute("UPDATE t SET w = 'x' WHERE id = 11")
      try b.exchange()
      let own = try b.store.identity().peer
      for name in ["a", "new"] {
        if name == "new" { try devices.attach(name) }
        let session = try name == "a" ? a : SyncSession(store: devices.path(name))
        let report = try session.synchronize()
        #expect(report.failure == nil)
        #expect(report.waiting.map(\.peer) == [own], "\(name)")
        #expect(report.waiting.map(\.sequence.rawValue) == [2], "\(name)")
        #expect("\(report.waiting)".contains("NOT NULL constraint failed: t.v"), "\(name)")
        #expect(try session.rows(rows) == ["1|was null", "2|two", "10|ten"], "\(name)")
        session.store.close()
      }
      // Its author changes the row, and all of it arrives.
      try b.execute("UPDATE t SET v = 'eleven' WHERE id = 11")
      try b.exchange()
      for name in ["a", "new"] {
        let session = try SyncSession(store: devices.path(name))
        try session.exchange()
        #expect(
          try session.rows(rows) == ["1|was null", "2|two", "10|ten", "11|eleven", "12|twelve"],
          "\(name)")
        session.store.close()
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `of many transactions that break a constraint, the first is named`() throws {
    try withTwoVersions { devices, a, b in
      for number in 0..<30 {
        try b.execute("INSERT INTO t (id, v) VALUES (\(100 + number), 'good')")
      }
      for number in 0..<30 {
        try b.execute("UPDATE t SET v = '', w = '\(number)' WHERE id = \(100 + number % 3)")
        try a.execute("INSERT INTO t (id, v) VALUES (\(200 + number), 'also good')")
      }
      try b.exchange()
      let report = try a.synchronize()
      #expect(report.waiting.count == 1)
      let first = try #require(report.waiting.first)
      #expect((20...31).contains(first.sequence.rawValue), "\(first)")
      try devices.attach("new")
      let new = try SyncSession(store: devices.path("new"))
      _ = try new.synchronize()
      #expect(try new.rows("SELECT count(*) FROM t WHERE id >= 200") == ["30"])
      #expect(try new.store.digest().total == a.store.digest().total)
      try b.execute("UPDATE t SET v = 'mended' WHERE v = ''")
      for session in [b, a, new] { try session.exchange() }
      #expect(try new.rows("SELECT count(*), min(v) FROM t") == ["62|also good"])
      #expect(try new.store.digest().total == a.store.digest().total)
    }
  }

  @Test func `what mends a row may come much later`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.older.sql)
      try a.execute("INSERT INTO t (id, v) VALUES (1, NULL)")
      for number in 2...40 {
        try a.execute("INSERT INTO t VALUES (\(number), 'v', zeroblob(1000000))")
      }
      try a.execute("UPDATE t SET v = 'was null' WHERE v IS NULL")
      try a.store.migrate([Self.older, Self.stricter])
      try a.exchange()
      try devices.attach("new")
      let new = try SyncSession(store: devices.path("new"))
      #expect(try new.store.digest().total == a.store.digest().total)
    }
  }
}
