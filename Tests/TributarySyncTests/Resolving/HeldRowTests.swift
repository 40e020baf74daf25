import Testing
import TributaryCore
import TributaryStore
import TributarySync

/// Settling conflicts of rows that constraints keep out of their tables. That held rows come back
/// is not looked at here.
struct HeldRowTests {
  private struct Stop: Error {}

  private static let tables = """
    CREATE TABLE u (k INTEGER PRIMARY KEY, a UNIQUE, b, x);
    CREATE UNIQUE INDEX ub ON u (lower(b)) WHERE x > 0;
    CREATE TABLE note (k INTEGER PRIMARY KEY, u REFERENCES u (k) ON DELETE CASCADE);
    CREATE TABLE p (k INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, n, y);
    CREATE UNIQUE INDEX pn ON p (n, y);
    CREATE TABLE c (k INTEGER PRIMARY KEY, p REFERENCES p (k) ON DELETE CASCADE);
    CREATE TABLE d (k INTEGER PRIMARY KEY, name REFERENCES p (name) ON DELETE SET NULL, z);
    CREATE TABLE e (k INTEGER PRIMARY KEY, n, y, FOREIGN KEY (n, y) REFERENCES p (n, y));
    """

  /// A row 2 that is held by the rows that a script leaves.
  private func withHeld(
    _ script: String, _ body: (ConflictFixture, Conflict) throws -> Void
  ) throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO p (k) VALUES (1)")
      try devices.write("b", script)
      try devices.exchange()
      let conflict = try devices.put(
        .unique, table: "u", key: [2], held: true, ["k": 2, "a": "A", "b": "B", "x": 1], into: "a")
      try body(devices, conflict)
    }
  }

  @Test func `a held row that is not wanted is deleted`() throws {
    try withHeld("INSERT INTO u VALUES (1, 'A', 'q', 1)") { devices, conflict in
      try devices.expect(
        "a", conflict, .keep,
        ["delete u (2)", "replace u (1) a = 'A', b = 'q', k = 1, x = 1"])
      #expect(try devices.rows("a", "SELECT k FROM u ORDER BY k") == [[1]])
    }
  }

  @Test func `all rows that have a key of the held row are deleted, with what follows them`() throws
  {
    try withHeld(
      """
      INSERT INTO u VALUES (1, 'A', 'q', 1), (3, 'z', 'b', 2), (4, 'y', 'b', 0), (5, 'x', NULL, 1);
      INSERT INTO note VALUES (1, 3), (2, 4);
      """
    ) { devices, conflict in
      try devices.expect(
        "a", conflict, .restore, ["delete note (1)", "delete u (1)", "delete u (3)"])
      #expect(try devices.rows("a", "SELECT k FROM u ORDER BY k") == [[4], [5]])
      #expect(try devices.rows("a", "SELECT k FROM note") == [[2]])
    }
  }

  /// SQLite calls this a mismatch of types, not a violated constraint.
  @Test func `a row whose number refers to the one in the way with SET NULL keeps that one there`()
    throws
  {
    try withConflicts(
      """
      CREATE TABLE u (k INTEGER PRIMARY KEY, a UNIQUE);
      CREATE TABLE f (k INTEGER PRIMARY KEY REFERENCES u (k) ON DELETE SET NULL);
      """
    ) { devices in
      try devices.write("a", "INSERT INTO u VALUES (1, 'x')")
      try devices.write("a", "UPDATE u SET a = 'y'; INSERT INTO f VALUES (1)")
      try devices.write("b", "INSERT INTO u VALUES (2, 'y')")
      try devices.exchange()
      let conflict = try devices.conflict("a")
      #expect(conflict.kind == .unique)
      try devices.expectRefusal("a", conflict, conflict.id, "datatype mismatch")
    }
  }

  @Test func `where nothing has the key any more, nothing is written`() throws {
    try withHeld("INSERT INTO u VALUES (4, 'y', 'b', 0)") { devices, conflict in
      #expect(try devices.session("a").resolve(conflict.id, .restore))
      #expect(try devices.sequence("a") == 1)
      #expect(try devices.rows("a", "SELECT k FROM u ORDER BY k") == [[4]])
      try devices.expectEnded("a", conflict)
    }
  }

  @Test func `looking for what has the key fires no trigger and leaves nothing`() throws {
    try withHeld("INSERT INTO u VALUES (1, 'A', 'q', 1)") { devices, conflict in
      try devices.write(
        "a",
        """
        CREATE TRIGGER ui BEFORE INSERT ON u BEGIN INSERT INTO p (k) VALUES (70); END;
        CREATE TRIGGER uu AFTER UPDATE ON u BEGIN INSERT INTO p (k) VALUES (71); END;
        CREATE TRIGGER ud AFTER DELETE ON u BEGIN INSERT INTO p (k) VALUES (72); END;
        """)
      try devices.expect(
        "a", conflict, .restore,
        ["delete u (1)", "insert p (72) k = 72, n = NULL, name = NULL, y = NULL"])
    }
  }

  @Test func `a custom write that frees the key leaves the held row to come back`() throws {
    try withHeld("INSERT INTO u VALUES (1, 'A', 'q', 1)") { devices, conflict in
      let session = try devices.session("a")
      let result = try session.resolve(conflict.id) { database in
        try database.execute("UPDATE u SET a = 'other' WHERE k = 1")
        return 7
      }
      #expect(result == 7)
      #expect(try devices.record("a") == ["update u (1) a = 'other'"])
      try devices.expectEnded("a", conflict)
      #expect(try session.resolve(conflict.id) { _ in 8 } == nil)
    }
  }

  @Test func `a custom write that does not free the key deletes the held row`() throws {
    try withHeld("INSERT INTO u VALUES (1, 'A', 'q', 1)") { devices, conflict in
      try devices.session("a").resolve(conflict.id) { database in
        try database.execute("UPDATE u SET x = 7 WHERE k = 1")
      }
      #expect(
        try devices.record("a") == [
          "delete u (2)", "replace u (1) a = 'A', b = 'q', k = 1, x = 7",
        ])
      try devices.expectEnded("a", conflict)
    }
  }

  @Test func `a custom write that fails changes nothing`() throws {
    try withHeld("INSERT INTO u VALUES (1, 'A', 'q', 1)") { devices, conflict in
      let session = try devices.session("a")
      #expect(throws: Stop.self) {
        try session.resolve(conflict.id) { database in
          try database.execute("DELETE FROM u")
          throw Stop()
        }
      }
      #expect(try devices.session("a").conflicts() == [conflict])
      #expect(try devices.rows("a", "SELECT k FROM u ORDER BY k") == [[1]])
    }
  }

  // MARK: Foreign keys

  @Test func `a missing parent comes back as it was before it was deleted`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO p VALUES (1, 'one', 1, 1), (2, 'two', 2, 2)")
      try devices.write("a", "UPDATE p SET y = 5 WHERE k = 1")
      try devices.exchange()
      try devices.write("b", "DELETE FROM p WHERE k = 1")
      try devices.exchange()
      // The child of the conflict is held, and so not in its table.
      let conflict = try devices.put(
        .foreignKey, table: "c", key: [7], held: true, ["k": 7, "p": 1], into: "a")
      try devices.expect(
        "a", conflict, .restore, ["insert p (1) k = 1, n = 1, name = 'one', y = 5"])
    }
  }

  @Test func `a row that shows NULL gets its parent back, or keeps NULL`() throws {
    for resolution in Resolution.allCases {
      try withConflicts(Self.tables) { devices in
        try devices.write("a", "INSERT INTO p VALUES (1, 'One ', 1, 1), (2, 'two', 2, 2)")
        try devices.write("a", "INSERT INTO d VALUES (7, 'one ', 'z')")
        try devices.exchange()
        try devices.write("b", "DELETE FROM p WHERE k = 1")
        try devices.exchange()
        let conflict = try devices.put(
          .foreignKey, table: "d", key: [7], ["name": "one "], into: "a")
        try devices.expect(
          "a", conflict, resolution,
          resolution == .restore
            ? ["insert p (1) k = 1, n = 1, name = 'One ', y = 1"] : ["update d (7) name = NULL"])
      }
    }
  }

  @Test func `a parent is found by all columns of the reference, and by its values then`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write(
        "a",
        "INSERT INTO p VALUES (1, 'w', 3, 3), (2, 'x', 3, 4), (3, 'y', 5, 3), (4, 'z', 8, 8)")
      // Others had these values once, and were deleted with other ones.
      try devices.write("a", "UPDATE p SET y = 9 WHERE k = 2")
      try devices.write("a", "UPDATE p SET n = 3, y = 4 WHERE k = 4")
      try devices.write("a", "DELETE FROM p WHERE k IN (1, 2)")
      try devices.write("a", "DELETE FROM p WHERE k = 4")
      try devices.write("a", "DELETE FROM p WHERE k = 3")
      try devices.write("b", "INSERT INTO p (k) VALUES (30)")
      let conflict = try devices.put(
        .foreignKey, table: "e", key: [7], held: true, ["k": 7, "n": 3, "y": 4], into: "a")
      try devices.expect(
        "a", conflict, .restore, ["insert p (4) k = 4, n = 3, name = 'z', y = 4"])
    }
  }

  @Test(arguments: [
    ("TEXT", "'K'", "'k'"), ("TEXT", "'1'", "'01'"), ("TEXT", "'k'", "'k '"),
    ("TEXT", "'\u{e9}'", "'e\u{301}'"), ("TEXT", "CAST(x'ff' AS TEXT)", "CAST(x'fe' AS TEXT)"),
    ("", "1", "'1'"), ("BLOB", "x'31'", "'1'"), ("TEXT COLLATE NOCASE", "'\u{c4}'", "'\u{e4}'"),
  ])
  func `of parents with similar keys that are gone, the one that is meant comes back`(
    type: String, one: String, other: String
  ) throws {
    for wanted in [one, other] {
      try withConflicts(
        """
        CREATE TABLE p (k \(type) PRIMARY KEY NOT NULL);
        CREATE TABLE c (k INTEGER PRIMARY KEY, p REFERENCES p (k));
        """
      ) { devices in
        try devices.write("a", "INSERT INTO p VALUES (\(one)), (\(other))")
        try devices.exchange()
        try devices.write("a", "DELETE FROM p")
        try devices.write("b", "INSERT INTO c VALUES (7, \(wanted))")
        try devices.exchange()
        let conflict = try devices.conflict("a")
        #expect(try devices.session("a").resolve(conflict.id, .restore))
        try devices.exchange()
        for name in devices.names {
          let rows = try devices.rows(name, "SELECT p.k FROM p JOIN c ON c.p = p.k")
          #expect(rows == (try devices.rows(name, "SELECT \(wanted)")))
          #expect(try devices.rows(name, "SELECT count(*) FROM p") == [[1]])
          #expect(try devices.session(name).conflicts().isEmpty)
        }
      }
    }
  }

  @Test(arguments: [
    ("INTEGER", "1", "TEXT", "'1'"), ("INTEGER", "1", "", "'01'"), ("TEXT", "'1'", "", "1"),
    ("NUMERIC", "1", "VARCHAR", "'1.0'"), ("REAL", "1", "TEXT", "'1'"),
  ])
  func `a parent is found as SQLite compares it, and holds its children until then`(
    parentType: String, parent: String, childType: String, child: String
  ) throws {
    try withConflicts(
      """
      CREATE TABLE p (k \(parentType) PRIMARY KEY NOT NULL);
      CREATE TABLE c (k INTEGER PRIMARY KEY, p \(childType) REFERENCES p (k));
      """
    ) { devices in
      try devices.write("a", "INSERT INTO p VALUES (\(parent))")
      try devices.exchange()
      try devices.write("a", "DELETE FROM p")
      try devices.write("b", "INSERT INTO c VALUES (7, \(child))")
      try devices.exchange()
      let conflict = try devices.conflict("b")
      #expect(conflict.winner != conflict.loser)
      #expect(try devices.session("b").resolve(conflict.id, .restore))
      try devices.exchange()
      for name in devices.names {
        #expect(try devices.rows(name, "SELECT count(*) FROM p JOIN c") == [[1]])
        #expect(try devices.session(name).conflicts().isEmpty)
      }
    }
  }

  @Test func `a parent that is held itself is named with its conflict`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO p VALUES (1, 'one', 1, 1)")
      try devices.write("b", "INSERT INTO p VALUES (2, 'two', 2, 2)")
      let parent = try devices.put(
        .unique, table: "p", key: [5], held: true,
        ["k": 5, "name": "one", "n": 5, "y": 5], id: "00000000000000bb", into: "a")
      let conflict = try devices.put(
        .foreignKey, table: "c", key: [7], held: true, ["k": 7, "p": 5], into: "a")
      try devices.expectRefusal("a", conflict, parent.id, "5 of table p")
    }
  }

  @Test func `a deleted parent with a conflict of its own is named with that conflict`() throws {
    try withConflicts(
      "CREATE TABLE p (k INTEGER PRIMARY KEY, v); CREATE TABLE c (k INTEGER PRIMARY KEY, p INTEGER REFERENCES p)"
    ) { devices in
      try devices.write("a", "INSERT INTO p VALUES (1, 'first')")
      try devices.exchange()
      try devices.write("b", "UPDATE p SET v = 'lost'; INSERT INTO c VALUES (7, 1)")
      try devices.write("a", "DELETE FROM p")
      try devices.exchange()
      let conflicts = try devices.session("a").conflicts()
      let child = try #require(conflicts.first { $0.kind == .foreignKey })
      let parent = try #require(conflicts.first { $0.kind == .delete })
      try devices.expectRefusal("a", child, parent.id, "1 of table p")
      #expect(try devices.session("a").conflicts() == conflicts)
      #expect(try devices.session("a").resolve(parent.id, .restore))
      try devices.exchange()
      for name in devices.names {
        #expect(try devices.rows(name, "SELECT v, c.k FROM p JOIN c") == [[.string("lost"), 7]])
        #expect(try devices.session(name).conflicts().isEmpty)
      }
    }
  }

  @Test func `a parent that was never there, or has changed, cannot come back`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO p VALUES (1, 'one', 1, 1)")
      try devices.write("a", "UPDATE p SET name = 'other'")
      try devices.write("b", "INSERT INTO p VALUES (2, 'two', 2, 2)")
      let never = try devices.put(
        .foreignKey, table: "c", key: [7], held: true, ["k": 7, "p": 66], id: "00000000000000bb",
        into: "a")
      try devices.expectRefusal("a", never, "66 of table p", "not in the logs")
      let changed = try devices.put(
        .foreignKey, table: "d", key: [7], held: true, ["k": 7, "name": "one", "z": 1], into: "a")
      try devices.expectRefusal("a", changed, "\"one\" of table p", "not in the logs")
    }
  }

  @Test func `a child whose parent a custom write brings is left to come back`() throws {
    try withConflicts(Self.tables) { devices in
      try devices.write("a", "INSERT INTO p VALUES (1, 'one', 1, 1)")
      try devices.write("b", "INSERT INTO p VALUES (2, 'two', 2, 2)")
      let conflict = try devices.put(
        .foreignKey, table: "c", key: [7], held: true, ["k": 7, "p": 66], into: "a")
      try devices.session("a").resolve(conflict.id) { database in
        try database.execute("INSERT INTO p (k) VALUES (66)")
      }
      #expect(
        try devices.record("a") == ["insert p (66) k = 66, n = NULL, name = NULL, y = NULL"])
      try devices.expectEnded("a", conflict)
    }
  }
}
