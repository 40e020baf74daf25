import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// What an import says of rows on which constraints have the last word.
struct ImportedRowTests {
  /// Returns what the import of B's writes changes on A, which has deleted what B refers to.
  private func imported(_ schema: String, _ rows: String, _ writes: String) throws -> [Rows] {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", schema)
      try a.execute(rows)
      try a.exchange()
      let b = try devices.open("b", schema)
      try b.exchange()
      try a.execute("DELETE FROM p")
      try b.execute(writes)
      try b.exchange()
      let report = try a.synchronize()
      try expectEqualAfterExchange(a, b)
      return report.imported.changes.map { table, changes in
        Rows(
          table: table, inserted: changes.inserted.keys, updated: changes.updated.keys,
          deleted: changes.deleted.keys)
      }
    }
  }

  private struct Rows: Equatable {
    var table: String
    var inserted: [[Value]] = []
    var updated: [[Value]] = []
    var deleted: [[Value]] = []
  }

  private static let parents = "CREATE TABLE p (id TEXT PRIMARY KEY);"

  @Test func `a row whose reference is hidden at once is reported once`() throws {
    let changes = try imported(
      Self.parents
        + "CREATE TABLE n (id TEXT PRIMARY KEY, p TEXT REFERENCES p ON DELETE SET NULL, v INTEGER)",
      "INSERT INTO p VALUES ('1'), ('2'); INSERT INTO n VALUES ('a', '1', 0)",
      "UPDATE n SET v = 1, p = '2'; INSERT INTO n VALUES ('b', '1', 1)")
    #expect(changes == [Rows(table: "n", inserted: [[.string("b")]], updated: [[.string("a")]])])
  }

  @Test func `a row that is held at once was never there`() throws {
    let changes = try imported(
      Self.parents + "CREATE TABLE h (id TEXT PRIMARY KEY, p TEXT REFERENCES p ON DELETE CASCADE)",
      "INSERT INTO p VALUES ('1')", "INSERT INTO h VALUES ('b', '1')")
    #expect(changes == [])
  }
}
