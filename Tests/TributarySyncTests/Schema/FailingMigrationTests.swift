import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Migrations that the rows or tables of a store do not allow.
struct FailingMigrationTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE t (k TEXT PRIMARY KEY, a TEXT COLLATE NOCASE, "b, t.c" INTEGER, p INTEGER);
      INSERT INTO p VALUES (1);
      INSERT INTO t VALUES ('1', 'x', 1, 1), ('2', 'y', 1, 2), ('3', 'X', 2, NULL), ('4', 'x', 2, 9);
      """)

  @Test(arguments: [
    (
      "CREATE UNIQUE INDEX i ON t (a)", "(rows ('1') and ('3') of table t both have 'X')",
      "change or delete one"
    ),
    (
      "CREATE UNIQUE INDEX i ON t (\"b, t.c\", a)",
      "(rows ('3') and ('4') of table t both have 'x', 2)", "change or delete one"
    ),
    (
      "CREATE UNIQUE INDEX i ON t (\"b, t.c\")",
      "(rows ('1') and ('2') of table t both have 1)", "change or delete one"
    ),
    ("CREATE UNIQUE INDEX i ON t (lower(a))", "index 'i'", "change or delete one"),
    (
      """
      CREATE TABLE new (k TEXT PRIMARY KEY, a TEXT COLLATE NOCASE, "b, t.c" INTEGER, p INTEGER REFERENCES p);
      INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
      """,
      "row 2 of table t refers to a row of p that does not exist, and so does 1 other",
      "write or delete that row"
    ),
    ("CREATE TABLE p (id)", "table p already exists", "fix the migration"),
  ])
  func `a migration that fails names the rows that stand in its way, and nothing of it stays`(
    sql: String, rows: String, remedy: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      let before = try a.rows("SELECT * FROM t") + a.rows("SELECT sql FROM sqlite_schema")
      let error = try #require(throws: StoreError.self) {
        try a.store.migrate([Self.first, Migration(name: "2", sql: sql)])
      }
      #expect(
        error.message.hasPrefix("migration 2 failed: ") && "\(error)".contains(rows), "\(error)")
      #expect(error.remedy.hasPrefix(remedy), "\(error)")
      #expect(try a.rows("SELECT * FROM t") + a.rows("SELECT sql FROM sqlite_schema") == before)
    }
  }

  @Test(arguments: [false, true])
  func `a database that a migration fails in stays attached, and the error says so`(
    isThere: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.exchange()
      if isThere {
        #expect(FileManager.default.createFile(atPath: devices.path("b"), contents: nil))
      }
      var request = AttachRequest(
        store: devices.path("b"), container: devices.container, contentName: "C")
      request.migrations = [
        Self.first, Migration(name: "2", sql: "CREATE UNIQUE INDEX i ON t (a)"),
      ]
      let error = try #require(throws: StoreError.self) { try Engine.attach(request) }
      #expect(
        error.remedy.hasSuffix(
          "; the database is attached, and the migrations before this one have run"))
      let b = try SyncSession(store: devices.path("b"))
      try exchange(a, b)
      #expect(try a.rows("SELECT k FROM t ORDER BY k") == ["1", "2", "3", "4"])
      #expect(try b.rows("SELECT k FROM t ORDER BY k") == ["1", "2", "3", "4"])
    }
  }
}
