import Testing
import TributarySync
import TributaryTesting

/// Rows whose key refers to a number that was given twice, and that are older than both rows of that number.
struct OlderChildTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES p (id), v TEXT);
    """
  private static let writes = [
    "DELETE FROM c WHERE id = 2", "UPDATE c SET v = 'new' WHERE id = 2",
    "INSERT OR REPLACE INTO c VALUES (2, 'new')",
    "DELETE FROM c WHERE id = 2; INSERT INTO c VALUES (2, 'new')",
  ]

  /// Lends two devices. A program has written a row of `c` that no parent has.
  private func withOldRow(
    _ body: (ForeignPrograms, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", Self.script)
      let b = try programs.open("b", Self.script)
      try programs.write("INSERT INTO c VALUES (2, 'old')", to: a, enforcing: false)
      try exchange(a, b)
      try body(programs, a, b)
    }
  }

  private func withTwoDevices(_ body: (SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try body(try devices.open("a", Self.script), try devices.open("b", Self.script))
    }
  }

  /// Has each device insert a row 2 of `p`, `b` first, and `a` write row 2 of `c`, which is older.
  private func expectOldRow(
    after sql: String, _ a: SyncSession, _ b: SyncSession
  ) throws {
    try b.execute("INSERT INTO p VALUES (2, 'of b')")
    try a.execute("INSERT INTO p VALUES (2, 'of a')")
    for statement in sql.split(separator: ";") { try a.execute(String(statement)) }
    try expectEqualAfterExchange(a, b)
    // What `a` wrote concerns a row of its own parent.
    let own = sql.contains("INSERT") ? ["of a|new"] : []
    for session in [a, b] {
      #expect(
        try session.rows("SELECT name, v FROM c JOIN p USING (id) ORDER BY v")
          == own + ["of b|old"])
      #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
    }
  }

  @Test(arguments: writes)
  func `a row that a program wrote before its parent belongs to the first one`(sql: String) throws {
    try withOldRow { _, a, b in
      #expect(try a.conflicts().map(\.isHeld) == [true])
      try expectOldRow(after: sql, a, b)
    }
  }

  @Test(arguments: writes)
  func `a row whose parent another device deleted belongs to the first new one`(sql: String) throws
  {
    try withTwoDevices { a, b in
      try a.execute("INSERT INTO p VALUES (2, 'gone')")
      try exchange(a, b)
      try b.execute("INSERT INTO c VALUES (2, 'old')")
      try a.execute("DELETE FROM p WHERE id = 2")
      try exchange(a, b)
      #expect(try a.conflicts().map(\.isHeld) == [true])
      try expectOldRow(after: sql, a, b)
    }
  }

  @Test func `a held row that a program writes anew with its new parent belongs to the first one`()
    throws
  {
    try withOldRow { programs, a, b in
      try b.execute("INSERT INTO p VALUES (2, 'of b')")
      awaitClockTick()
      try programs.write(
        "BEGIN; INSERT INTO p VALUES (2, 'of a'); INSERT INTO c VALUES (2, 'new'); COMMIT", to: a,
        enforcing: false)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT name, v FROM c JOIN p USING (id) ORDER BY v")
            == ["of a|new", "of b|old"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test func `what an older row lost is lost again when the row that answered it moves`() throws {
    try withTwoDevices { a, b in
      try a.execute("INSERT INTO p VALUES (2, 'old'); INSERT INTO c VALUES (2, 'old')")
      try exchange(a, b)
      try a.execute("DELETE FROM c; DELETE FROM p")
      try b.execute("UPDATE c SET v = 'lost'")
      try exchange(a, b)
      let lost = try a.conflicts()
      #expect(lost.map(\.kind) == [.delete])
      try b.execute("INSERT INTO p VALUES (2, 'of b')")
      try a.execute("INSERT INTO p VALUES (2, 'of a'); INSERT INTO c VALUES (2, 'new')")
      #expect(try a.conflicts() == [])
      try expectEqualAfterExchange(a, b)
      #expect(try a.conflicts() == lost)
      #expect(try a.rows("SELECT name, v FROM c JOIN p USING (id)") == ["of a|new"])
    }
  }
}
