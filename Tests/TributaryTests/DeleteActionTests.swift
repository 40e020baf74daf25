import Testing
import Tributary

/// A parent is deleted on one device while another gives it a new child, for each ON DELETE.
struct DeleteActionTests {
  private static func schema(_ action: String, _ column: String = "INTEGER DEFAULT 9") -> String {
    """
    CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE child (
      id TEXT PRIMARY KEY NOT NULL, parent \(column) REFERENCES parent (id) \(action), note TEXT)
    """
  }

  /// `parent` 1 is deleted on the first device and has a new child on the second.
  private func deleteWhileAdding(_ schema: String, _ body: (Store, Store) throws -> Void)
    async throws
  {
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO parent VALUES (1, 'one'), (9, 'nine')")
      try settle(a, b)
      try a.execute("DELETE FROM parent WHERE id = 1")
      try b.execute("INSERT INTO child VALUES ('c', 1, 'new')")
      try settle(a, b)
      try body(a, b)
    }
  }

  @Test(arguments: [
    "", "ON DELETE NO ACTION", "ON DELETE RESTRICT", "ON DELETE CASCADE",
    "DEFERRABLE INITIALLY DEFERRED", "ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
  ])
  func `a child is held until its parent is there again`(action: String) async throws {
    try await deleteWhileAdding(Self.schema(action)) { a, b in
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM parent") == ["9|nine"])
        #expect(try store.rows("SELECT * FROM child").isEmpty)
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.kind) == [.foreignKey])
        #expect(conflicts.map(\.isHeld) == [true])
        #expect(conflicts.map(\.key) == [[.string("c")]])
        #expect(conflicts.map(\.winner.peer) == [a.peer])
        #expect(conflicts.map(\.loser.peer) == [b.peer])
      }
      #expect(try b.resolve(b.conflicts()[0], .restore))
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM parent ORDER BY id") == ["1|one", "9|nine"])
        #expect(try store.rows("SELECT * FROM child") == ["c|1|new"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test(arguments: [("SET NULL", "c|null|new"), ("SET DEFAULT", "c|9|new")])
  func `a child shows NULL or its default as long as its parent is gone`(
    action: String, shown: String
  ) async throws {
    try await deleteWhileAdding(Self.schema("ON DELETE " + action)) { a, b in
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM child") == [shown])
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.kind) == [.foreignKey])
        #expect(conflicts.map(\.isHeld) == [false])
        #expect(
          conflicts.map { $0.values.map(\.column) } == [["parent"]])
        #expect(conflicts.map { $0.values.map(\.value) } == [[1]])
      }
      // What else is written of it meanwhile does not touch what it refers to.
      try a.execute("UPDATE child SET note = 'changed'")
      try settle(a, b)
      try b.execute("INSERT INTO parent VALUES (1, 'again')")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM child") == ["c|1|changed"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  /// Defaults that are another row each time, and what a child shows: as in a row whose log lacks the column.
  @Test(arguments: [
    ("INTEGER DEFAULT (abs(random()) % 900 + 100)", "c|null|new"),
    ("INTEGER NOT NULL DEFAULT (abs(random()) % 900 + 100)", "c|0|new"),
  ])
  func `a child whose default varies shows the same on all devices as long as its parent is gone`(
    column: String, shown: String
  ) async throws {
    try await withTwoDevices(Self.schema("ON DELETE SET DEFAULT", column)) { a, b in
      try a.execute(
        """
        INSERT INTO parent VALUES (0, 'none'), (1, 'one'), (2, 'two');
        INSERT INTO child VALUES ('b', 2, 'old');
        WITH RECURSIVE n (i) AS (VALUES (100) UNION ALL SELECT i + 1 FROM n WHERE i < 999)
        INSERT INTO parent SELECT i, i FROM n
        """)
      try settle(a, b)
      // What SQLite gives a child where its parent is deleted is written, and arrives as it is.
      try a.execute("DELETE FROM parent WHERE id IN (1, 2)")
      try b.execute("INSERT INTO child VALUES ('c', 1, 'new')")
      try settle(a, b)
      let left = try a.rows("SELECT * FROM child WHERE id = 'b' AND parent >= 100")
      #expect(left.count == 1)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM child ORDER BY id") == left + [shown])
        #expect(try store.conflicts().map(\.isHeld) == [false])
      }
      try b.execute("INSERT INTO parent VALUES (1, 'again')")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM child ORDER BY id") == left + ["c|1|new"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test(arguments: [
    ("SET NULL", "INTEGER NOT NULL"), ("SET NULL", "INTEGER UNIQUE"),
    ("SET DEFAULT", "INTEGER UNIQUE DEFAULT 9"), ("SET DEFAULT", "INTEGER DEFAULT 7"),
  ])
  func `a child that cannot show NULL or its default is held`(
    action: String, column: String
  ) async throws {
    try await deleteWhileAdding(Self.schema("ON DELETE " + action, column)) { a, b in
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM child").isEmpty)
        #expect(try store.conflicts().map(\.isHeld) == [true])
      }
      try a.execute("INSERT INTO parent VALUES (1, 'again')")
      #expect(try a.rows("SELECT * FROM child") == ["c|1|new"])
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM child") == ["c|1|new"])
      #expect(try b.conflicts().isEmpty)
    }
  }

  @Test(arguments: [
    ("NO ACTION", []), ("RESTRICT", []), ("CASCADE", []), ("SET NULL", ["c|null|new"]),
    ("SET DEFAULT", ["c|9|new"]),
  ])
  func `what the action did where the parent was deleted arrives as it is`(
    action: String, left: [String]
  ) async throws {
    try await withTwoDevices(Self.schema("ON DELETE " + action)) { a, b in
      try a.execute(
        "INSERT INTO parent VALUES (1, 'one'), (9, 'nine'); INSERT INTO child VALUES ('c', 1, 'new')"
      )
      try settle(a, b)
      if ["NO ACTION", "RESTRICT"].contains(action) {
        #expect(throws: SQLiteError.self) { try a.execute("DELETE FROM parent WHERE id = 1") }
        try a.execute("DELETE FROM child; DELETE FROM parent WHERE id = 1")
      } else {
        try a.execute("DELETE FROM parent WHERE id = 1")
      }
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM parent") == ["9|nine"])
      #expect(try b.rows("SELECT * FROM child") == left)
      #expect(try b.conflicts().isEmpty)
    }
  }
}
