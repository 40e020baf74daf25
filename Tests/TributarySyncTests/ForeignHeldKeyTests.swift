import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Programs that leave foreign keys off and write rows that are held, or lose what they refer to.
struct ForeignHeldKeyTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE c (k TEXT PRIMARY KEY, p INTEGER NOT NULL REFERENCES p (id), u TEXT UNIQUE, v TEXT);
    """

  /// Two devices for which the row 'x' of `c`, inserted by `b`, is held: its parent is gone.
  private func withHeldRow(
    _ body: (ForeignPrograms, SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", Self.script)
      let b = try programs.open("b", Self.script)
      try a.execute("INSERT INTO p VALUES (1, 'one'), (2, 'two')")
      try exchange(a, b)
      try b.execute("INSERT INTO c VALUES ('x', 1, 'key', 'first')")
      try a.execute("DELETE FROM p WHERE id = 1")
      try exchange(a, b)
      #expect(try a.conflicts().map(\.isHeld) == [true])
      try body(programs, a, b)
    }
  }

  @Test func `a row that is inserted again under its key has what it had for as long as before`()
    throws
  {
    try withHeldRow { programs, a, b in
      let before = try a.conflicts()[0]
      try programs.write(
        "INSERT INTO c VALUES ('x', 1, 'key', 'again')", to: a, enforcing: false)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM c") == [])
        let conflict = try #require(try session.conflicts().first { $0.isHeld })
        #expect(conflict.loser == before.loser && conflict.winner == before.winner)
        #expect(conflict.values.contains { $0.value == "again" })
      }
      try a.execute("INSERT INTO p VALUES (1, 'back')")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT v FROM c") == ["again"])
    }
  }

  @Test func `what it has not any more, others have`() throws {
    try withHeldRow { programs, a, b in
      try b.execute("INSERT INTO c VALUES ('y', 2, 'key', 'second')")
      try programs.write(
        "INSERT INTO c VALUES ('x', 2, 'other', 'again')", to: a, enforcing: false)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT k, u, v FROM c ORDER BY k")
            == ["x|other|again", "y|key|second"])
        #expect(try session.conflicts() == [])
      }
    }
  }

  @Test(arguments: [
    "UPDATE c SET v = 'changed' WHERE k = 'z'",
    "DELETE FROM c WHERE k = 'z'; INSERT INTO c VALUES ('z', 2, 'zed', 'changed')",
  ])
  func `a row that loses its parent and is written has referred to it since it did`(sql: String)
    throws
  {
    try withHeldRow { programs, a, b in
      try b.execute("INSERT INTO c VALUES ('z', 2, 'zed', 'first')")
      try exchange(a, b)
      try programs.write("DELETE FROM p WHERE id = 2; \(sql)", to: a, enforcing: false)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] { #expect(try session.rows("SELECT * FROM c") == []) }
      try a.execute("INSERT INTO p VALUES (2, 'back')")
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT k, v FROM c") == ["z|changed"])
    }
  }
}
