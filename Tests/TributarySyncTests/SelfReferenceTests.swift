import Testing
import TributarySQLite
import TributarySync
import TributaryTesting

/// Rows that refer to their own table, where SQLite miscounts the violations of a transaction.
struct SelfReferenceTests {
  private static let statements: [(action: String, statements: [String])] = [
    ("ON DELETE SET NULL", ["INSERT OR REPLACE INTO t VALUES ('f', 'u', 'nobody')"]),
    (
      "ON DELETE SET NULL",
      ["INSERT INTO t VALUES ('f', 'u', NULL)", "UPDATE OR REPLACE t SET f = 'nobody'"]
    ),
    (
      "ON UPDATE SET NULL",
      ["INSERT INTO t VALUES ('c', 'b', 'nobody') ON CONFLICT (k) DO UPDATE SET k = 'd'"]
    ),
    (
      "ON DELETE SET NULL, w UNIQUE ON CONFLICT REPLACE",
      ["INSERT INTO t VALUES ('c', 'b', 'nobody', 1)"]
    ),
  ]

  @Test(arguments: statements.indices)
  func `a write that refers to no row is refused`(number: Int) throws {
    let (action, statements) = Self.statements[number]
    let script = """
      CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, u TEXT UNIQUE, f TEXT REFERENCES t (k) \(action))
      """
    try withTemporaryDirectory { directory in
      let session = try SyncDevices(in: directory).open("a", script)
      for statement in statements.dropLast() { try session.execute(statement) }
      let before = try session.rows("SELECT * FROM t")
      #expect(throws: SQLiteError.self) { try session.execute(statements.last ?? "") }
      #expect(try session.rows("SELECT * FROM t") == before)
      #expect(try session.rows("PRAGMA foreign_key_check") == [])
    }
  }

  @Test func `a tree is written, moved and cut as before`() throws {
    let script = """
      CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT UNIQUE, f INTEGER REFERENCES t (k) ON DELETE SET NULL)
      """
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", script), try devices.open("b"))
      try a.execute("INSERT INTO t VALUES (1, 'root', 1), (2, 'branch', 1), (3, 'leaf', 2)")
      try a.execute("UPDATE t SET f = 3 WHERE k = 1; DELETE FROM t WHERE k = 2")
      try a.execute("INSERT OR REPLACE INTO t VALUES (3, 'leaf', 1)")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT k, f FROM t ORDER BY k") == ["1|null", "3|1"])
    }
  }
}
