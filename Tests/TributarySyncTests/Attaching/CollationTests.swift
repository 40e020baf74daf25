import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Collations that an application brings, and that are nowhere else.
struct CollationTests {
  /// Makes a database as a program does that has a collation of its own.
  private func make(_ path: String, _ sql: String) throws {
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(sql)
    connection.close()
    var bytes = try Data(contentsOf: URL(filePath: path))
    while let range = bytes.range(of: Data("RTRIM".utf8)) {
      bytes.replaceSubrange(range, with: Data("OTHER".utf8))
    }
    try bytes.write(to: URL(filePath: path))
  }

  @Test(arguments: [
    ("CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT UNIQUE COLLATE RTRIM)", "a UNIQUE key"),
    ("CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT, UNIQUE (n COLLATE RTRIM))", "a UNIQUE key"),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n); CREATE UNIQUE INDEX u ON t (n COLLATE RTRIM)",
      "its index u"
    ),
    (
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n); CREATE INDEX i ON t (n COLLATE RTRIM)",
      "its index i"
    ),
    ("CREATE TABLE t (n TEXT PRIMARY KEY COLLATE RTRIM)", "its primary key"),
  ])
  func `a table with one is refused by name, or left out`(sql: String, place: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try make(devices.path("a"), sql + "; CREATE TABLE other (id INTEGER PRIMARY KEY)")
      let error = #expect(throws: StoreError.self) { try devices.attach("a") }
      #expect(error?.code == .unusableTable)
      #expect(error?.message.contains("table t has the collation OTHER in \(place)") == true)
      let a = try devices.open("a", tables: .except(["t"]))
      try a.execute("INSERT INTO other VALUES (1)")
      try a.exchange()
      let b = try devices.open("b")
      #expect(try b.rows("SELECT * FROM other") == ["1"])
    }
  }
}
