import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables about whose values SQLite 3.40 is wrong when it checks the database.
struct MisreportedValueTests {
  private static let script = """
    CREATE TABLE t (c NUMERIC DEFAULT 'x', d INTEGER NOT NULL, e, k TEXT NOT NULL, PRIMARY KEY (k)) WITHOUT ROWID;
    CREATE TABLE u (id INTEGER PRIMARY KEY, v);
    CREATE INDEX i ON u (v);
    """

  /// Writes as a program does that has a SQLite of its own.
  private func write(_ sql: String, to session: SyncSession) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// Returns what `doctor` finds wrong with the database.
  private func damage(_ session: SyncSession) throws -> [String] {
    try Engine.diagnose(store: session.store.path).filter { $0.code == .database }.map(
      \.explanation)
  }

  @Test func `are not damaged`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try exchange(a, b)
      try write("INSERT INTO t VALUES (2, 3, NULL, 'b'); INSERT INTO u VALUES (1, 1)", to: a)
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.uncaptured?.tables == ["t", "u"])
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM t") == ["2|3|null|b"])
        #expect(try damage(session).isEmpty)
      }
    }
  }

  @Test func `are not damaged where a STRICT table generates values of another type`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = """
        CREATE TABLE t (k INTEGER PRIMARY KEY, a ANY, v BLOB AS (hex(a)), s INT NOT NULL AS (a || '!') STORED) STRICT
        """
      let a = try devices.open("a", script)
      let b = try devices.open("b", script)
      try a.execute("INSERT INTO t (k, a) VALUES (1, 1)")
      try exchange(a, b)
      try write("INSERT INTO t (k, a) VALUES (2, 'x')", to: a)
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.uncaptured?.tables == ["t"])
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM t") == ["1|1|31|1!", "2|x|78|x!"])
        #expect(try damage(session).isEmpty)
      }
      #expect(try a.writeBaseline().rows == 2)
    }
  }

  @Test func `are not damaged where SQLite takes values behind those for NULL`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a",
        """
        CREATE TABLE t (
          "SS" TEXT AS ("main" IS NULL), "oid" BLOB AS (typeof("i")), "k" REAL AS ("main"), "e" INT DEFAULT -1,
          "/*" REAL AS (typeof("b")), "sequence" REAL AS ("main"), "i" INTEGER, "long" REAL AS ("e" IS NULL),
          "x" INT AS ("i" || 'x'), "main" TEXT NOT NULL, "b" BLOB NOT NULL) STRICT;
        CREATE UNIQUE INDEX key ON t ("b", "main")
        """)
      try a.execute("INSERT INTO t (main, b, i) VALUES ('a', x'61', 5)")
      #expect(try damage(a).isEmpty)
      #expect(try a.writeBaseline().rows == 1)
    }
  }

  @Test func `are in baselines`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      try a.execute("INSERT INTO t VALUES (2, 3, NULL, 'b'), (NULL, 1, NULL, 'c')")
      #expect(try a.writeBaseline().rows == 2)
    }
  }

  @Test func `do not hide damage, however many rows they have`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let numbers = "WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 200)"
      try a.execute("\(numbers) INSERT INTO t SELECT x, x, NULL, 'k' || x FROM n")
      try a.execute("INSERT INTO u VALUES (1, 1), (2, 2)")
      try a.exchange()
      // The index has more entries than it says.
      try write(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON u (v) WHERE v > 1' WHERE name = 'i'
        """, to: a)
      try write("UPDATE t SET c = 0 WHERE k = 'k1'", to: a)
      #expect(try damage(a).contains { $0.contains("index i") })
      let failure = try #require(a.synchronize().failure as? StoreError)
      #expect(failure.code == .damaged)
      #expect(failure.description.contains("index i"))
    }
  }
}
