import Testing
import TributaryCore
import TributaryStore
import TributarySync

/// Settling conflicts about cells, and about rows that were deleted.
struct CellTests {
  private static let tables = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a, b, c DEFAULT 'c');
    CREATE TABLE p (k INTEGER PRIMARY KEY, o REFERENCES p (k) ON DELETE CASCADE);
    CREATE TABLE l (k INTEGER PRIMARY KEY, t REFERENCES t (k) ON DELETE CASCADE, p REFERENCES p (k));
    """

  @Test func `what is kept is written again, and nothing changes`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO t VALUES (1, 'a', 'b', 'c')")
      try devices.exchange()
      try devices.write("a", "UPDATE t SET a = 'A', b = 'B'")
      try devices.write("b", "UPDATE t SET a = 'x', b = 'y'")
      try devices.exchange()
      let conflict = try devices.conflict("a")
      #expect(conflict.values.map(\.value) == ["A", "B"])
      try devices.expect("a", conflict, .keep, ["update t (1) a = 'x', b = 'y'"])
      #expect(try devices.rows("a", "SELECT a, b FROM t") == [["x", "y"]])
    }
  }

  @Test func `what is restored is written, equal values too`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO t VALUES (1, 'a', 'b', 'c')")
      try devices.exchange()
      try devices.write("b", "UPDATE t SET a = 'x', c = 'z'")
      try devices.exchange()
      let conflict = try devices.put(
        .insert, table: "t", key: [1], ["a": "a", "b": "b", "c": "c"], into: "b")
      try devices.expect("b", conflict, .restore, ["update t (1) a = 'a', b = 'b', c = 'c'"])
      try devices.exchange()
      #expect(try devices.rows("a", "SELECT * FROM t") == [[1, "a", "b", "c"]])
    }
  }

  @Test func `a row of another kind of conflict that is gone by now is let alone`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO t VALUES (1, 'a', 'b', 'c')")
      try devices.write("b", "INSERT INTO p VALUES (1, NULL)")
      let conflict = try devices.put(.update, table: "t", key: [1], ["a": "A"], into: "a")
      try devices.write("a", "DELETE FROM t")
      for resolution in Resolution.allCases {
        try devices.put(conflict, into: "a")
        #expect(try devices.session("a").resolve(conflict.id, resolution))
        #expect(try devices.sequence("a") == 2)
        #expect(try devices.rows("a", "SELECT * FROM t") == [])
      }
    }
  }

  @Test func `a deletion that is kept is written again`() throws {
    try withConflicts(Self.tables) { devices in
      let conflict = try Self.makeDeleted(devices)
      try devices.expect("b", conflict, .keep, ["delete t (1)"])
      #expect(try devices.rows("b", "SELECT k FROM t") == [[2]])
    }
  }

  @Test func `a deleted row comes back as the author of the losing write had it`() throws {
    try withConflicts(Self.tables) { devices in
      let conflict = try Self.makeDeleted(devices)
      // Not the c that the other device wrote, of which the loser did not know.
      try devices.expect(
        "b", conflict, .restore, ["insert t (1) a = 'A2', b = 'b1', c = 'c0', k = 1"])
      try devices.exchange()
      #expect(try devices.rows("a", "SELECT * FROM t WHERE k = 1") == [[1, "A2", "b1", "c0"]])
    }
  }

  @Test func `a deleted row comes back on the device whose write lost, too`() throws {
    try withConflicts(Self.tables) { devices in
      let conflict = try Self.makeDeleted(devices)
      #expect(try devices.conflict("a") == conflict)
      try devices.expect(
        "a", conflict, .restore, ["insert t (1) a = 'A2', b = 'b1', c = 'c0', k = 1"])
    }
  }

  /// `a` writes a row that `b` deletes meanwhile.
  private static func makeDeleted(_ devices: ConflictFixture) throws -> Conflict {
    try devices.write("b", "INSERT INTO t VALUES (1, 'a0', 'b0', 'c0'), (2, 'x', 'y', 'z')")
    try devices.exchange()
    try devices.write("a", "UPDATE t SET a = 'A1', b = 'b1' WHERE k = 1")
    try devices.exchange()
    try devices.write("b", "UPDATE t SET c = 'c1' WHERE k = 1")
    try devices.write("b", "DELETE FROM t WHERE k = 1")
    try devices.write("a", "UPDATE t SET a = 'A2' WHERE k = 1")
    try devices.exchange()
    return try devices.conflict("b")
  }

  @Test func `a basis says what the author had, not what had been imported`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO t VALUES (1, 'a0', 'b0', 'c0')")
      try devices.exchange()
      try devices.write("b", "UPDATE t SET b = 'b1'")
      try devices.exchange()
      try devices.write("a", "UPDATE t SET a = 'A'")
      try devices.setBasis(of: 2, "a", ["a": 1])
      try devices.write("b", "DELETE FROM t")
      try devices.exchange()
      let conflict = try devices.conflict("b")
      try devices.expect(
        "b", conflict, .restore, ["insert t (1) a = 'A', b = 'b0', c = 'c0', k = 1"])
    }
  }

  @Test func `a row comes back with its counters added up, and its largest values`() throws {
    let merge = MergeOptions(tables: ["q": TableMerge(columns: ["n": .counter, "m": .max])])
    try withConflicts("CREATE TABLE q (k INTEGER PRIMARY KEY, n INTEGER, m, x)", merge: merge) {
      devices in
      try devices.write("b", "INSERT INTO q VALUES (1, NULL, 5, 'x')")
      try devices.exchange()
      try devices.write("a", "UPDATE q SET n = 7, m = 6")
      try devices.write("a", "UPDATE q SET n = 9")
      try devices.write("b", "UPDATE q SET n = 100, m = 70")
      try devices.write("b", "DELETE FROM q")
      try devices.exchange()
      let conflicts = try devices.session("b").conflicts()
      let conflict = try #require(conflicts.first { $0.loser.sequence == SequenceNumber(2) })
      #expect(try devices.session("b").resolve(conflict.id, .restore))
      #expect(try devices.record("b") == ["insert q (1) k = 1, m = 6, n = 9, x = 'x'"])
      #expect(try devices.session("b").conflicts() == [])
    }
  }

  @Test func `a row comes back with the rows that it refers to, however far up`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write(
        "b",
        """
        INSERT INTO t VALUES (5, 'old', 'b', 'c'); INSERT INTO p VALUES (1, NULL), (2, 1), (3, 3);
        INSERT INTO l VALUES (9, 5, 3);
        """)
      try devices.write("b", "UPDATE t SET a = 'new'")
      try devices.exchange()
      try devices.write("a", "UPDATE l SET p = 2")
      try devices.write("b", "DELETE FROM l; DELETE FROM t; DELETE FROM p")
      try devices.exchange()
      let conflict = try devices.conflict("b")
      try devices.expect(
        "b", conflict, .restore,
        [
          "insert l (9) k = 9, p = 2, t = 5", "insert p (1) k = 1, o = NULL",
          "insert p (2) k = 2, o = 1", "insert t (5) a = 'new', b = 'b', c = 'c', k = 5",
        ])
    }
  }

  @Test func `what the logs do not tell cannot be restored`() throws {
    try withConflicts(Self.tables) { devices in
      let made = try Self.makeDeleted(devices)
      // A transaction that has not touched the row.
      try devices.write("a", "INSERT INTO p VALUES (1, NULL)")
      try devices.exchange()
      let conflict = try devices.put(.delete, table: "t", key: [1], ["a": "A2"], into: "b")
      #expect(conflict != made)
      try devices.expectRefusal("b", conflict, "transaction 3", "do not contain")
    }
  }

  @Test func `what a constraint stops cannot be restored`() throws {
    try withConflicts("CREATE TABLE u (k INTEGER PRIMARY KEY, a UNIQUE)") { devices in
      try devices.write("a", "INSERT INTO u VALUES (1, 'a'), (2, 'b')")
      try devices.write("b", "INSERT INTO u VALUES (9, 'z')")
      try devices.exchange()
      let conflict = try devices.put(.update, table: "u", key: [1], ["a": "b"], into: "a")
      try devices.expectRefusal("a", conflict, conflict.id, "UNIQUE constraint failed: u.a")
    }
  }

  @Test func `a later write settles a conflict, and restoring it then does nothing`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO t VALUES (1, 'a', 'b', 'c')")
      try devices.exchange()
      try devices.write("a", "UPDATE t SET a = 'A'")
      try devices.write("b", "UPDATE t SET a = 'B'")
      try devices.exchange()
      let conflict = try devices.conflict("a")
      try devices.write("a", "UPDATE t SET a = 'settled'")
      #expect(try !devices.session("a").resolve(conflict.id, .restore))
      #expect(try devices.session("a").resolve(conflict.id) { _ in 1 } == nil)
      #expect(try devices.session("a").conflicts() == [])
      #expect(try devices.rows("a", "SELECT a FROM t") == [["settled"]])
    }
  }

  @Test func `an unknown conflict is an error that names it`() throws {
    try withConflicts(Self.tables) { devices in
      let session = try devices.session("a")
      for body in [
        { _ = try session.resolve("nope", .keep) }, { _ = try session.resolve("nope", .restore) },
        { _ = try session.resolve("nope") { _ in Issue.record("it is run") } },
        { _ = try session.conflict("nope") },
      ] {
        do {
          try body()
          Issue.record("no error")
        } catch let error as SyncError {
          #expect(error.code == .unknownConflict)
          #expect(error.message.contains("nope"))
        }
      }
    }
  }
}
