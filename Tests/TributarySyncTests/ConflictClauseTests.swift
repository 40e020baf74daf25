import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// What a table declares to be done about conflicts is the application's: no import obeys it.
struct ConflictClauseTests {
  static let clauses = ["ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"]

  private func withTwo(
    _ script: String, tables: TableSelection? = nil,
    _ body: (SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      do {
        let a = try devices.open("a", script, tables: tables)
        let b = try devices.open("b", script, tables: tables)
        try body(a, b)
      }
      for name in ["a", "b"] {
        let report = try Engine.verify(store: devices.path(name))
        #expect(report.differenceCount == 0)
        _ = try Engine.rebuild(store: devices.path(name))
      }
      let a = try SyncSession(store: devices.path("a"))
      let b = try SyncSession(store: devices.path("b"))
      let c = try devices.open("c", script, tables: tables)
      try expectEqualAfterExchange(a, b, c)
    }
  }

  @Test(arguments: clauses, [1, 6])
  func `of rows with one unique key the later is held, whatever the table declares`(
    clause: String, more: Int
  ) throws {
    try withTwo("CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, u UNIQUE ON CONFLICT \(clause))") {
      a, b in
      try a.execute("INSERT INTO t VALUES ('a', 'one')")
      try b.execute("INSERT INTO t VALUES ('b', 'one')")
      for number in 1...more { try b.execute("INSERT INTO t VALUES ('c\(number)', \(number))") }
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT k FROM t WHERE u = 'one'") == ["a"])
        #expect(try session.rows("SELECT count(*) FROM t") == ["\(more + 1)"])
        #expect(try session.conflicts().map(\.key) == [[.string("b")]])
      }
    }
  }

  @Test(arguments: clauses)
  func `rows that exchange their unique values stay`(clause: String) throws {
    try withTwo("CREATE TABLE t (k INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT \(clause))") {
      a, b in
      try a.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
      try exchange(a, b)
      try a.execute(
        """
        UPDATE t SET u = NULL WHERE k = 1; UPDATE t SET u = 'x' WHERE k = 2;
        UPDATE t SET u = 'y' WHERE k = 1
        """)
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT k, u FROM t") == ["1|y", "2|x", "3|z"])
      #expect(try b.conflicts().isEmpty)
    }
  }

  @Test(arguments: clauses)
  func `primary keys given twice follow the rules of keys`(clause: String) throws {
    try withTwo(
      """
      CREATE TABLE n (k INTEGER PRIMARY KEY ON CONFLICT \(clause), v);
      CREATE TABLE s (k TEXT NOT NULL PRIMARY KEY ON CONFLICT \(clause), v, w) WITHOUT ROWID
      """
    ) { a, b in
      try a.execute("INSERT INTO n VALUES (1, 'a'); INSERT INTO s VALUES ('k', 'a', 1)")
      try b.execute("INSERT INTO n VALUES (1, 'b'); INSERT INTO s VALUES ('k', 'b', 1)")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT v FROM n ORDER BY v") == ["a", "b"])
      #expect(try a.rows("SELECT v FROM s") == ["b"])
      #expect(try a.conflicts().map(\.kind) == [.insert])
    }
  }

  @Test(arguments: clauses)
  func `the application's own statements go on obeying them`(clause: String) throws {
    try withTwo("CREATE TABLE t (k INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT \(clause))") {
      a, b in
      try a.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
      // Some clauses let the statement fail.
      try? a.execute("INSERT INTO t VALUES (3, 'x'); UPDATE t SET u = 'y' WHERE k = 1")
      try expectEqualAfterExchange(a, b)
      let rows = ["IGNORE": ["1|x", "2|y"], "REPLACE": ["2|y", "3|x"]]
      #expect(try b.rows("SELECT * FROM t") == rows[clause, default: ["1|x", "2|y"]])
    }
  }

  @Test(arguments: clauses)
  func `tables that triggers keep follow, with the clauses of the triggers`(clause: String) throws {
    try withTwo(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, u UNIQUE ON CONFLICT \(clause), v);
      CREATE VIRTUAL TABLE f USING fts5(u);
      CREATE TABLE last (v PRIMARY KEY, k);
      CREATE TRIGGER i AFTER INSERT ON t BEGIN
        INSERT INTO f VALUES (NEW.u); INSERT OR REPLACE INTO last VALUES (NEW.v, NEW.k);
      END;
      CREATE TRIGGER d AFTER DELETE ON t BEGIN DELETE FROM f WHERE u IS OLD.u; END;
      CREATE TRIGGER u AFTER UPDATE ON t BEGIN
        UPDATE f SET u = NEW.u WHERE u IS OLD.u;
        INSERT OR REPLACE INTO last VALUES (NEW.v, NEW.k);
      END
      """, tables: .except(["last"])
    ) { a, b in
      try a.execute("INSERT INTO t VALUES ('a', 'clash', 1), ('s', 'left', 1), ('t', 'right', 1)")
      try b.execute(
        "INSERT INTO t VALUES ('c', 'clash', 1), ('d', 'd', 1), ('e', 'e', 1), ('f', 'f', 1)")
      try expectEqualAfterExchange(a, b)
      try b.execute(
        """
        UPDATE t SET u = NULL WHERE k = 's'; UPDATE t SET u = 'left', v = 2 WHERE k = 't';
        UPDATE t SET u = 'right', v = 2 WHERE k = 's'
        """)
      try expectEqualAfterExchange(a, b)
      let expected = ["a|clash", "d|d", "e|e", "f|f", "s|right", "t|left"]
      for session in [a, b] {
        #expect(try session.rows("SELECT k, u FROM t ORDER BY k") == expected)
        #expect(try session.conflicts().map(\.key) == [[.string("c")]])
        #expect(try session.rows("SELECT count(*) FROM last") == ["2"])
        #expect(
          try session.rows("SELECT u FROM f ORDER BY u")
            == session.rows("SELECT u FROM t ORDER BY u"))
      }
      #expect(try a.resolve(a.conflicts()[0].id, .restore))
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT k FROM t WHERE u = 'clash'") == ["c"])
      #expect(
        try b.rows("SELECT u FROM f ORDER BY u") == b.rows("SELECT u FROM t ORDER BY u"))
    }
  }

  @Test(arguments: clauses)
  func `a lost value that is restored deletes no other row`(clause: String) throws {
    try withTwo("CREATE TABLE t (k INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT \(clause))") {
      a, b in
      try a.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
      try exchange(a, b)
      try a.execute("UPDATE t SET u = 'lost' WHERE k = 1")
      try b.execute("UPDATE t SET u = 'won' WHERE k = 1")
      try exchange(a, b)
      try a.execute("UPDATE t SET u = 'lost' WHERE k = 2")
      let conflict = try #require(a.conflicts().first)
      #expect(throws: SyncError.self) { try a.resolve(conflict.id, .restore) }
      #expect(try a.rows("SELECT * FROM t") == ["1|won", "2|lost"])
    }
  }
}
