import Testing
import TributaryCore
import TributaryStore
import TributarySync

/// Conflicts that merging has made, from their beginning to their end on both devices.
struct OutcomeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var tables: String
    /// What both know.
    var before: String
    /// What each writes without knowing of the other, `a` first.
    var a: String
    var b: String
    var kind: Conflict.Kind
    var query: String
    var merged: [[Value]]
    var restored: [[Value]]
  }

  static let cases = [
    Case(
      testDescription: "update", tables: "CREATE TABLE t (k INTEGER PRIMARY KEY, x, y)",
      before: "INSERT INTO t VALUES (1, 'x', 'y')", a: "UPDATE t SET x = 'a', y = 'same'",
      b: "UPDATE t SET x = 'b', y = 'same'", kind: .update, query: "SELECT x, y FROM t",
      merged: [["b", "same"]], restored: [["a", "same"]]),
    Case(
      testDescription: "insert", tables: "CREATE TABLE t (k TEXT PRIMARY KEY, x)",
      before: "SELECT 1", a: "INSERT INTO t VALUES ('k', 'a')",
      b: "INSERT INTO t VALUES ('k', 'b')",
      kind: .insert, query: "SELECT * FROM t", merged: [["k", "b"]], restored: [["k", "a"]]),
    Case(
      testDescription: "delete", tables: "CREATE TABLE t (k INTEGER PRIMARY KEY, x, y)",
      before: "INSERT INTO t VALUES (1, 'x', 'y')", a: "UPDATE t SET x = 'a'", b: "DELETE FROM t",
      kind: .delete, query: "SELECT * FROM t", merged: [], restored: [[1, "a", "y"]]),
    Case(
      testDescription: "unique", tables: "CREATE TABLE t (k TEXT PRIMARY KEY, x UNIQUE)",
      before: "SELECT 1", a: "INSERT INTO t VALUES ('a', 'x')",
      b: "INSERT INTO t VALUES ('b', 'x')",
      kind: .unique, query: "SELECT * FROM t", merged: [["a", "x"]], restored: [["b", "x"]]),
    Case(
      testDescription: "held foreign key",
      tables: """
        CREATE TABLE p (k INTEGER PRIMARY KEY, x);
        CREATE TABLE c (k TEXT PRIMARY KEY, p REFERENCES p (k));
        """,
      before: "INSERT INTO p VALUES (1, 'x')", a: "INSERT INTO c VALUES ('c', 1)",
      b: "DELETE FROM p", kind: .foreignKey,
      query: "SELECT c.k, p.x FROM c LEFT JOIN p ON c.p = p.k", merged: [],
      restored: [["c", "x"]]),
    Case(
      testDescription: "foreign key that shows NULL",
      tables: """
        CREATE TABLE p (k INTEGER PRIMARY KEY, x);
        CREATE TABLE c (k TEXT PRIMARY KEY, p REFERENCES p (k) ON DELETE SET NULL);
        """,
      before: "INSERT INTO p VALUES (1, 'x')", a: "INSERT INTO c VALUES ('c', 1)",
      b: "DELETE FROM p", kind: .foreignKey,
      query: "SELECT c.k, c.p, p.x FROM c LEFT JOIN p ON c.p = p.k",
      merged: [["c", .null, .null]], restored: [["c", 1, "x"]]),
  ]

  /// Lends two devices with the conflict of a case.
  private func withConflict(
    _ example: Case, _ body: (ConflictFixture, Conflict) throws -> Void
  ) throws {
    try withConflicts(example.tables) { devices in
      try devices.write("a", example.before)
      try devices.exchange()
      try devices.write("a", example.a)
      try devices.write("b", example.b)
      try devices.exchange()
      let conflicts = try devices.session("a").conflicts()
      #expect(try devices.session("b").conflicts() == conflicts)
      #expect(conflicts.map(\.kind) == [example.kind])
      for name in ["a", "b"] {
        #expect(try devices.rows(name, example.query) == example.merged)
      }
      try body(devices, try #require(conflicts.first))
    }
  }

  private func expectSettled(
    _ devices: ConflictFixture, _ query: String, _ rows: [[Value]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for name in ["a", "b"] {
      let session = try devices.session(name)
      #expect(try session.conflicts() == [], "\(name)", sourceLocation: sourceLocation)
      #expect(try devices.rows(name, query) == rows, "\(name)", sourceLocation: sourceLocation)
      let report = try Engine.verify(store: devices.path(name))
      #expect(report.differenceCount == 0, "\(report)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: cases, Resolution.allCases)
  func `a conflict that one device settles ends on both`(
    example: Case, resolution: Resolution
  ) throws {
    for name in ["a", "b"] {
      try withConflict(example) { devices, conflict in
        #expect(try devices.session(name).resolve(conflict.id, resolution))
        let rows = resolution == .keep ? example.merged : example.restored
        #expect(try devices.rows(name, example.query) == rows)
        try devices.exchange()
        try expectSettled(devices, example.query, rows)
      }
    }
  }

  @Test(arguments: cases, Resolution.allCases)
  func `settled in one way on both devices at once, it gives that`(
    example: Case, resolution: Resolution
  ) throws {
    try withConflict(example) { devices, conflict in
      for name in ["a", "b"] {
        #expect(try devices.session(name).resolve(conflict.id, resolution))
      }
      try devices.exchange()
      try expectSettled(
        devices, example.query, resolution == .keep ? example.merged : example.restored)
    }
  }
}
