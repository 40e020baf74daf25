import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores with conflicts and held rows, of which something was altered past the store.
struct VerifyTests {
  /// Two synchronised devices; `body` gets the path of one of them.
  private func withStore(_ body: (String) throws -> Void) throws {
    let template = try DamageTemplate.shared.get()
    try withTemporaryDirectory { directory in
      let devices = try template.copy(to: directory)
      let sessions = try DamageTemplate.names.map { try SyncSession(store: devices.path($0)) }
      for _ in 0..<2 { for session in sessions { try session.exchange() } }
      try body(devices.path("b"))
    }
  }

  private func alter(_ path: String, _ sql: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
    try connection.execute(sql)
  }

  private func differences(_ path: String) throws -> [String] {
    let report = try Engine.verify(store: path)
    #expect(report.comparesConflicts)
    #expect(report.differenceCount == report.differences.count)
    return report.differences.map(\.description)
  }

  @Test func `held rows and conflicts that are right are no differences`() throws {
    try withStore { path in
      let session = try SyncSession(store: path)
      #expect(try session.conflicts().contains { $0.isHeld })
      #expect(try session.conflicts().contains { $0.kind == .update })
      #expect(try differences(path) == [])
    }
  }

  @Test(arguments: [
    (
      "UPDATE t SET n = -5 WHERE id = 3",
      ["table t, key 3, column n: the store has -5, the logs say 1000"]
    ),
    ("DELETE FROM tally", [#"table tally, key "all": the row is missing from the store"#]),
    (
      "INSERT INTO pair VALUES ('zz', 9, x'00')",
      [#"table pair, key ["zz",9]: the row is not in the logs"#]
    ),
    (
      "UPDATE tally SET n = '26'",
      [#"table tally, key "all", column n: the store has 26, the logs say 16"#]
    ),
  ])
  func `an altered row is named with its table, key, column and both values`(
    sql: String, expected: [String]
  ) throws {
    try withStore { path in
      try alter(path, sql)
      #expect(try differences(path) == expected)
    }
  }

  @Test func `a held row that is altered or gone is a difference`() throws {
    try withStore { path in
      let held = try SyncSession(store: path).conflicts().filter(\.isHeld)
      try #require(held.count > 0)
      try alter(path, "DELETE FROM tributary_held WHERE held = 1")
      #expect(
        try differences(path).filter { $0.hasSuffix("the row is missing from the store") }.count
          == held.count)
    }
    try withStore { path in
      // The cells of one held row take the place of those of another one.
      try alter(
        path,
        "UPDATE tributary_held SET cells = (SELECT max(cells) FROM tributary_held WHERE held = 1) WHERE held = 1"
      )
      #expect(try !differences(path).isEmpty)
    }
  }

  @Test func `an altered conflict is a difference`() throws {
    try withStore { path in
      let conflicts = try SyncSession(store: path).conflicts()
      let conflict = try #require(conflicts.first { $0.kind == .update })
      try alter(path, "DELETE FROM tributary_conflict WHERE id = '\(conflict.id)'")
      let missing = try differences(path)
      #expect(missing.count == 1)
      #expect(missing[0].hasSuffix("the conflict \(conflict.id) is missing from the store"))
    }
    try withStore { path in
      let conflict = try #require(try SyncSession(store: path).conflicts().first)
      try alter(
        path, "UPDATE tributary_conflict SET loser_sequence = 77 WHERE id = '\(conflict.id)'")
      let other = try differences(path)
      #expect(other.count == 1)
      #expect(other[0].hasSuffix("the conflict \(conflict.id) differs from the logs"))
    }
    try withStore { path in
      let conflict = try #require(try SyncSession(store: path).conflicts().first)
      try alter(
        path,
        """
        CREATE TEMP TABLE one AS SELECT * FROM tributary_conflict WHERE id = '\(conflict.id)' AND ended = 0;
        UPDATE one SET id = '00000000000000aa';
        INSERT INTO tributary_conflict SELECT * FROM one
        """)
      let unfounded = try differences(path)
      #expect(unfounded.count == 1)
      #expect(unfounded[0].hasSuffix("the conflict 00000000000000aa is not in the logs"))
    }
  }

  @Test func `conflicts are not compared before own writes have been looked at`() throws {
    try withStore { path in
      try SyncSession(store: path).execute("UPDATE t SET n = 7 WHERE id = 1")
      let report = try Engine.verify(store: path)
      #expect(!report.comparesConflicts)
      #expect(report.differenceCount == 0)
    }
  }

  @Test func `a default that is a bare or quoted name is a text`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a",
        """
        CREATE TABLE d (id INTEGER PRIMARY KEY, a DEFAULT foo, b TEXT NOT NULL DEFAULT "b 'c'",
          c DEFAULT [x], t DEFAULT true, n DEFAULT null)
        """)
      try a.execute("INSERT INTO d (id) VALUES (1)")
      try a.exchange()
      let b = try devices.open("b")
      try b.exchange()
      try a.execute("UPDATE d SET a = 1")
      try b.execute("ALTER TABLE d ADD COLUMN more DEFAULT later")
      try b.execute("DELETE FROM d WHERE id = 1; INSERT INTO d (id) VALUES (2)")
      try a.execute("ALTER TABLE d ADD COLUMN more DEFAULT later")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM d WHERE id = 2") == ["2|foo|b 'c'|x|1|null|later"])
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
    }
  }
}
