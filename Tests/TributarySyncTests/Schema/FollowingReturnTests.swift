import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that come back by a baseline with more tables and columns than they have.
struct FollowingReturnTests {
  private static let table = "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, v)"

  /// Lends a device that the others have left out, after these have changed the schema and forgotten.
  private func withAbsent(
    follows: Bool, keepsLogs: Bool, _ body: (ReturnFleet) throws -> Void
  ) throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(in: path, Self.table, setup: "INSERT INTO t VALUES ('old', 1)")
      try fleet.absent.store.follow(follows)
      try fleet.absent.execute("INSERT INTO t VALUES ('absent', 1)")
      for session in [fleet.a, fleet.b] {
        try session.execute(
          """
          ALTER TABLE t ADD COLUMN w NOT NULL DEFAULT 'none';
          CREATE TABLE u (k TEXT PRIMARY KEY NOT NULL); CREATE INDEX by_v ON t (v)
          """)
      }
      try fleet.a.execute("UPDATE t SET w = 'set'; INSERT INTO u VALUES ('u')")
      try fleet.declare()
      if !keepsLogs { try fleet.removeLogs() }
      try body(fleet)
    }
  }

  @Test(arguments: [true, false])
  func `a store that follows takes the tables of the baseline, and keeps what it wrote`(
    keepsLogs: Bool
  ) throws {
    try withAbsent(follows: true, keepsLogs: keepsLogs) { fleet throws in
      try fleet.comeBack()
      for session in [fleet.absent, fleet.a] {
        #expect(
          try session.rows("SELECT k, v, w FROM t ORDER BY k") == ["absent|1|none", "old|1|set"])
        #expect(try session.rows("SELECT * FROM u") == ["u"])
        #expect(try session.objects() == ["index by_v", "table t", "table u"])
      }
      try fleet.absent.execute("UPDATE t SET w = 'back'; INSERT INTO u VALUES ('more')")
      try fleet.expectEqual()
    }
  }

  @Test func `any other store stays as it is, and says what it lacks`() throws {
    try withAbsent(follows: false, keepsLogs: false) { fleet throws in
      #expect {
        try fleet.absent.comeBack()
      } throws: {
        "\($0)".contains("there is no table u here") || "\($0)".contains("has no column w here")
      }
      #expect(try fleet.absent.rows("SELECT k FROM t ORDER BY k") == ["absent", "old"])
      try fleet.absent.store.migrate([
        Migration(name: "1", sql: Self.table),
        Migration(
          name: "2",
          sql: "ALTER TABLE t ADD COLUMN w NOT NULL DEFAULT 'none'; "
            + "CREATE TABLE u (k TEXT PRIMARY KEY NOT NULL); CREATE INDEX by_v ON t (v)"),
      ])
      try fleet.comeBack()
    }
  }
}
