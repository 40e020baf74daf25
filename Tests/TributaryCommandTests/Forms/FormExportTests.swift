import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// `log export` of tables whose key or name needs care.
struct FormExportTests {
  private func withStore(_ schema: String, _ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try RawScript.run(Array(schema.utf8), at: stores.path("a"))
      let attached = Invocation(
        "attach", stores.path("a"), "--container", stores.container, "--name", "Library")
      #expect(attached.status == .done, "\(attached.errors)")
      try body(stores)
    }
  }

  @Test(arguments: [
    // In an upsert, this is also the name of the row that was to be inserted.
    ("CREATE TABLE excluded (k TEXT COLLATE NOCASE PRIMARY KEY, v)", "Excluded"),
    // Without its index, nothing would say that the key is unique.
    ("CREATE TABLE t (k TEXT NOT NULL COLLATE NOCASE, v); CREATE UNIQUE INDEX i ON t (k)", "t"),
  ])
  func `the script makes the table, whatever it is called and whatever its key is`(
    schema: String, table: String
  ) throws {
    try withStore(schema) { stores in
      stores.sql("a", "INSERT INTO \(table) VALUES ('a', 1), ('b', 2)")
      stores.sql("a", "UPDATE \(table) SET k = 'A', v = 3 WHERE k = 'a'")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let script = Invocation("log", "export", "--schema", stores.container)
      #expect(script.status == .done, "\(script.errors)")
      try RawScript.run(Array(script.output.utf8), at: stores.path("new"))
      let connection = try Connection(path: stores.path("new"), mode: .readOnly)
      let statement = try connection.prepare("SELECT k, v FROM \(table) ORDER BY k")
      var rows: [String] = []
      while try statement.step() { rows.append("\(statement.string(0)) \(statement.integer(1))") }
      #expect(rows == ["A 3", "b 2"])
    }
  }

  @Test(
    arguments: [
      // The key tells rows apart that the column does not.
      (
        "CREATE TABLE t (k TEXT COLLATE NOCASE NOT NULL, v, UNIQUE (k COLLATE RTRIM))",
        [
          "INSERT INTO t VALUES ('a', 1), ('A', 2)",
          "UPDATE t SET v = 3 WHERE k = 'A' COLLATE BINARY",
          "DELETE FROM t WHERE k = 'A' COLLATE BINARY",
        ], ["a integer 1"]
      ),
      // SQLite 3.40 makes a real of the integer in an upsert.
      (
        "CREATE TABLE t (c REAL AS (w) VIRTUAL, v BLOB, u INTEGER NOT NULL, w BLOB, k PRIMARY KEY)",
        [
          "INSERT INTO t (v, u, k) VALUES (1, 1, 'a')", "DELETE FROM t",
          "INSERT INTO t (v, u, k) VALUES (4611686018427387904, 1, 'a')",
        ],
        ["a integer 4611686018427387904"]
      ),
      (
        "CREATE TABLE t (k TEXT PRIMARY KEY, v ANY, c TEXT AS (k || v)) STRICT",
        [
          "INSERT INTO t VALUES ('a', 4611686018427387905)",
          "UPDATE t SET v = 4611686018427387906",
        ], ["a integer 4611686018427387906"]
      ),
    ] as [(String, [String], [String])])
  func `the script leaves the rows that the store shows`(
    schema: String, writes: [String], rows: [String]
  ) throws {
    try withStore(schema) { stores in
      for write in writes { stores.sql("a", write) }
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let script = Invocation("log", "export", "--schema", stores.container)
      #expect(script.status == .done, "\(script.errors)")
      // Twice: what an insert finds, it replaces.
      let data = script.output.components(separatedBy: "COMMIT;\n").dropFirst()
        .joined(separator: "COMMIT;\n")
      try RawScript.run(Array((script.output + data).utf8), at: stores.path("new"))
      for name in ["a", "new"] {
        let connection = try Connection(path: stores.path(name), mode: .readOnly)
        let statement = try connection.prepare("SELECT k, typeof(v), v FROM t ORDER BY k")
        var found: [String] = []
        while try statement.step() {
          found.append("\(statement.string(0)) \(statement.string(1)) \(statement.integer(2))")
        }
        #expect(found == rows, "\(name): \(script.output)")
      }
    }
  }
}
