import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// `log export` of tables whose key or name needs care.
struct FormExportTests {
  @Test(arguments: [
    // In an upsert, this is also the name of the row that was to be inserted.
    ("CREATE TABLE excluded (k TEXT COLLATE NOCASE PRIMARY KEY, v)", "Excluded"),
    // Without its index, nothing would say that the key is unique.
    ("CREATE TABLE t (k TEXT NOT NULL COLLATE NOCASE, v); CREATE UNIQUE INDEX i ON t (k)", "t"),
  ])
  func `the script makes the table, whatever it is called and whatever its key is`(
    schema: String, table: String
  ) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try RawScript.run(Array(schema.utf8), at: stores.path("a"))
      let attached = Invocation(
        "attach", stores.path("a"), "--container", stores.container, "--name", "Library")
      #expect(attached.status == .done, "\(attached.errors)")
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
}
