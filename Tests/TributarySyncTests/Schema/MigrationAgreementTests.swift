import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Migrations of different devices that contradict each other.
struct MigrationAgreementTests {
  private static let first = Migration(
    name: "1", sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, a TEXT, z TEXT)")

  /// Opens two stores that have run the first migration, and have exchanged a row.
  private func withTwo(_ body: (SyncDevices, SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      let b = try devices.open("b", Self.first.sql)
      try a.execute("INSERT INTO t VALUES (1, 'a', 'z')")
      try expectEqualAfterExchange(a, b)
      try body(devices, a, b)
    }
  }

  private func disagreements(_ session: SyncSession) throws -> [String] {
    try session.synchronize().disagreements.map(\.message)
  }

  private func renaming(to name: String) -> [Migration] {
    [
      Self.first,
      Migration(
        name: "2",
        sql: "-- tributary: rename t.a to t.\(name)\nALTER TABLE t RENAME COLUMN a TO \(name)"),
    ]
  }

  @Test func `two texts under one name are told by sync, status and doctor`() throws {
    try withTwo { devices, a, b in
      #expect(try disagreements(a) == [])
      for (session, column) in [(a, "a"), (b, "z")] {
        try session.store.migrate([
          Self.first, Migration(name: "2", sql: "CREATE INDEX i ON t (\(column))"),
        ])
        try session.exchange()
      }
      for (name, session, other) in [("a", a, b), ("b", b, a)] {
        let report = try session.synchronize()
        #expect(report.failure == nil)
        #expect(
          report.disagreements.map(\.message) == [
            "migration 2 has run here with another text than on peer \(other.store.peer) "
              + "(\(try other.store.identity().peerName.debugDescription)): tables and rows may differ"
          ])
        #expect(
          try session.status().findings.filter { $0.contains("another text") }
            == report.disagreements.map(\.description))
        #expect(
          try Engine.diagnose(store: devices.path(name)).filter { $0.code == .disagreement }
            .map(\.explanation) == report.disagreements.map(\.message))
      }
      // What does not depend on it goes on.
      try a.execute("UPDATE t SET z = 'new'")
      try exchange(a, b)
      #expect(try b.rows("SELECT z FROM t") == ["new"])
    }
  }

  @Test func `a text that nobody states contradicts none`() throws {
    try withTwo { devices, a, b in
      try a.store.migrate([Self.first, Migration(name: "2", sql: "ALTER TABLE t ADD COLUMN w")])
      try b.store.migrate([
        Self.first,
        Migration(name: "2") { try $0.execute("ALTER TABLE t ADD COLUMN w") },
      ])
      try exchange(a, b)
      #expect(try disagreements(a) + disagreements(b) == [])
    }
  }

  @Test func `a column that has got two names is one column, and somebody is told`() throws {
    try withTwo { devices, a, b in
      try a.store.migrate(renaming(to: "b"))
      try b.store.migrate(renaming(to: "c"))
      try a.execute("UPDATE t SET b = 'from a'")
      try b.execute("UPDATE t SET z = 'from b'; INSERT INTO t VALUES (2, 'c', 'c')")
      try exchange(a, b)
      #expect(try a.rows("SELECT k, b, z FROM t ORDER BY k") == ["1|from a|from b", "2|c|c"])
      #expect(try b.rows("SELECT k, c, z FROM t ORDER BY k") == ["1|from a|from b", "2|c|c"])
      for session in [a, b] {
        #expect(
          try session.synchronize().disagreements.dropFirst() == [
            Refusal(
              "the migrations of different devices have renamed column a of table t to b and to c: "
                + "both are taken for the same",
              remedy: "give the application that says c a new migration with "
                + #"`-- tributary: rename "t"."c" to "t"."b"`"#)
          ])
      }
      // The remedy ends it.
      let last = Migration(
        name: "3",
        sql: "-- tributary: rename t.c to t.b\nALTER TABLE t RENAME COLUMN c TO b")
      try b.store.migrate(renaming(to: "c") + [last])
      try expectEqualAfterExchange(a, b)
      #expect(try disagreements(a).filter { $0.contains("renamed") } == [])
      try a.execute("UPDATE t SET b = 'last' WHERE k = 2")
      try expectEqualAfterExchange(a, b)
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
      try devices.attach("d")
      try expectEqualAfterExchange(a, b, SyncSession(store: devices.path("d")))
    }
  }

  @Test func `a table that has got two names is one table`() throws {
    try withTwo { devices, a, b in
      for (session, name) in [(a, "u"), (b, "v")] {
        try session.store.migrate([
          Self.first,
          Migration(
            name: "2",
            sql: "-- tributary: rename t to \(name)\nALTER TABLE t RENAME TO \(name)"),
        ])
      }
      try a.execute("INSERT INTO u VALUES (2, 'from a', '')")
      try b.execute("INSERT INTO v VALUES (3, 'from b', '')")
      try exchange(a, b)
      #expect(try a.rows("SELECT k, a FROM u ORDER BY k") == ["1|a", "2|from a", "3|from b"])
      #expect(try b.rows("SELECT k, a FROM v ORDER BY k") == ["1|a", "2|from a", "3|from b"])
      let found = try disagreements(a).filter { $0.contains("renamed table t to u and to v") }
      #expect(found.count == 1)
    }
  }

  @Test func `a column that one device renames and another drops is passed over there`() throws {
    try withTwo { devices, a, b in
      try a.store.migrate(renaming(to: "b"))
      try b.store.migrate([
        Self.first,
        Migration(
          name: "2", sql: "-- tributary: drop t.a\nALTER TABLE t DROP COLUMN a"),
      ])
      try a.execute("UPDATE t SET b = 'from a', z = 'new'")
      try exchange(a, b)
      #expect(try b.rows("SELECT * FROM t") == ["1|new"])
    }
  }
}
