import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices whose tables do not demand the same of their rows, and rows that break what is demanded.
struct SchemaDifferenceTests {
  private static let table = "CREATE TABLE t (k TEXT PRIMARY KEY NOT NULL, u)"

  private func codes(_ devices: SyncDevices, _ name: String) throws -> [Finding] {
    try Engine.diagnose(store: devices.path(name))
  }

  @Test func `a held row comes back when the index that holds it is dropped`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table + "; CREATE UNIQUE INDEX i ON t (u)")
      let b = try devices.open("b", Self.table + "; CREATE UNIQUE INDEX i ON t (u)")
      try a.execute("INSERT INTO t VALUES ('a', 1)")
      try b.execute("INSERT INTO t VALUES ('b', 1), ('c', 2)")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT k FROM t ORDER BY k") == ["a", "c"])
      for session in [a, b] {
        try session.execute("DROP INDEX i")
        #expect(try session.rows("SELECT k FROM t ORDER BY k") == ["a", "b", "c"])
        #expect(try session.conflicts().isEmpty)
      }
      try expectEqualAfterExchange(a, b)
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
    }
  }

  @Test func `doctor names a unique index that only one device has`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.open("b", Self.table)
      try exchange(a, b)
      #expect(try codes(devices, "a").filter { $0.code == .rules }.isEmpty)
      try a.execute("CREATE UNIQUE INDEX i ON t (u)")
      try b.execute("INSERT INTO t VALUES ('a', 1), ('b', 1)")
      try exchange(a, b)
      for name in ["a", "b"] {
        let found = try codes(devices, name).filter { $0.code == .rules }
        #expect(found.count == 1)
        #expect(found.first?.explanation.contains("UNIQUE (u)") == true)
      }
      // The rows are there to be mended; then the index can be made.
      #expect {
        try b.store.migrate([
          Migration(name: "1", sql: Self.table),
          Migration(name: "2", sql: "CREATE UNIQUE INDEX i ON t (u)"),
        ])
      } throws: {
        "\($0)".contains("change or delete one of the rows")
      }
      try b.execute("UPDATE t SET u = 2 WHERE k = 'b'; CREATE UNIQUE INDEX i ON t (u)")
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT k FROM t ORDER BY k") == ["a", "b"])
      #expect(try codes(devices, "b").filter { $0.code == .rules }.isEmpty)
    }
  }

  @Test(arguments: [
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, n CHECK (n > 0))", "INSERT INTO t VALUES (7, -1)",
      "row 7 of table t breaks a constraint of its table: CHECK constraint failed: n > 0"
    ),
    (
      "CREATE TABLE t (k INTEGER PRIMARY KEY, n, m, CONSTRAINT less CHECK (n < m))",
      "INSERT INTO t VALUES (1, 1, 2), (2, 2, 1)",
      "row 2 of table t breaks a constraint of its table: CHECK constraint failed: less"
    ),
  ])
  func `a database whose rows break its constraints is not adopted`(
    table: String, rows: String, message: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(table + "; PRAGMA ignore_check_constraints = ON; " + rows)
      connection.close()
      #expect {
        try devices.attach("a")
      } throws: {
        "\($0)".contains(message)
      }
      let after = try Connection(path: devices.path("a"), mode: .readWrite)
      #expect(
        try after.integer(
          "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tributary%'") == 0)
    }
  }

  @Test func `a database that breaks NOT NULL is not adopted`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(
        """
        CREATE TABLE t (k INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (3, NULL);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE TABLE t (k INTEGER PRIMARY KEY, n NOT NULL)'
        WHERE name = 't';
        """)
      connection.close()
      #expect {
        try devices.attach("a")
      } throws: {
        "\($0)".contains("row 3 of table t breaks a constraint of its table: NOT NULL")
      }
    }
  }

  @Test func `doctor takes what a migration has renamed for the same`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let first = Migration(
        name: "1",
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> ''));
          CREATE TABLE child (
            id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parent (id), n UNIQUE);
          CREATE UNIQUE INDEX i ON child (n) WHERE parent > 3
          """)
      let a = try devices.open("a", first.sql)
      let b = try devices.open("b", first.sql)
      try a.execute("INSERT INTO parent VALUES (1, 'a'); INSERT INTO child VALUES (1, 1, 1)")
      try exchange(a, b)
      let second = Migration(
        name: "2",
        sql: """
          -- tributary: rename parent to elder
          ALTER TABLE parent RENAME TO elder;
          -- tributary: rename elder.name to elder.title
          ALTER TABLE elder RENAME COLUMN name TO title;
          -- tributary: rename child.parent to child.elder
          ALTER TABLE child RENAME COLUMN parent TO elder
          """)
      try a.store.migrate([first, second])
      try exchange(a, b)
      for name in ["a", "b"] {
        #expect(try codes(devices, name).filter { $0.code == .rules } == [])
      }
      // A constraint that is really another one is still named.
      try a.execute("CREATE UNIQUE INDEX other ON elder (title, id)")
      try a.exchange()
      for name in ["a", "b"] {
        let found = try codes(devices, name).filter { $0.code == .rules }
        #expect(found.count == 1)
        #expect(
          found.first?.explanation.contains("UNIQUE (\(name == "a" ? "title" : "name"), id)")
            == true)
      }
    }
  }

  @Test func `names that differ only by the case of ASCII letters make no other digest`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for (name, sql) in [
        ("a", "CREATE TABLE t (id TEXT PRIMARY KEY, B, c); CREATE TABLE U (x, Y)"),
        ("b", "CREATE TABLE T (ID TEXT PRIMARY KEY, b, C); CREATE TABLE u (X, y)"),
      ] {
        try Connection(path: devices.path(name), mode: .create).execute(sql)
        try devices.attach(name)
      }
      let a = try SyncSession(store: devices.path("a"))
      let b = try SyncSession(store: devices.path("b"))
      try a.execute("INSERT INTO t VALUES ('1', 2, 3); INSERT INTO u VALUES (1, 2)")
      try b.execute("INSERT INTO t VALUES ('2', 2, 3); INSERT INTO u VALUES (3, 4)")
      try expectEqualAfterExchange(a, b)
      #expect(try a.store.digest().tables.map(\.name) == ["t", "U"])
      #expect(try a.store.digest().tables.map(\.digest) == b.store.digest().tables.map(\.digest))
      // Beyond ASCII, other letters are other names.
      try a.execute("ALTER TABLE t ADD COLUMN Ä")
      let upper = try a.store.digest().total
      try b.execute("ALTER TABLE t ADD COLUMN ä")
      #expect(try b.store.digest().total != upper)
    }
  }

  @Test(arguments: [("TEXT", "INT"), ("REAL", "INTEGER"), ("", "VARCHAR (9)")])
  func `a column of another type is named by doctor and verify, with what the digests make of it`(
    first: String, second: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      for (name, type) in [("a", first), ("b", second), ("c", second)] {
        try Connection(path: devices.path(name), mode: .create)
          .execute("CREATE TABLE t (id TEXT PRIMARY KEY, n \(type), m NUMERIC)")
        try devices.attach(name)
      }
      let sessions = try ["a", "b", "c"].map { try SyncSession(store: devices.path($0)) }
      try sessions[0].execute("INSERT INTO t VALUES ('1', 2, 3)")
      for _ in 0..<2 { for session in sessions { try session.exchange() } }
      #expect(try sessions[0].store.digest().total != sessions[1].store.digest().total)
      let peers = sessions.map(\.store.peer).dropFirst().sorted().map(\.description)
      let named =
        ["peers \(peers.joined(separator: ", "))"]
        + [
          String
        ](repeating: "peer \(sessions[0].store.peer)", count: 2)
      for (session, others) in zip(sessions, named) {
        let found = try Engine.diagnose(store: session.store.path).filter { $0.code == .rules }
        #expect(found.count == 1)
        #expect(found.first?.explanation.hasPrefix("column n of table t is ") == true)
        #expect(found.first?.explanation.contains(" on \(others): ") == true)
        #expect(found.first?.remedy.contains("gives the column one type on all devices") == true)
        let report = try Engine.verify(store: session.store.path)
        #expect(report.differenceCount == 0)
        #expect(report.otherTypes.map(\.message) == found.map(\.explanation))
      }
      // What it says helps.
      let rebuild = """
        CREATE TABLE new (id TEXT PRIMARY KEY, n \(second), m NUMERIC); INSERT INTO new SELECT * FROM t;
        DROP TABLE t; ALTER TABLE new RENAME TO t
        """
      try sessions[0].store.migrate([Migration(name: "1", sql: rebuild)])
      for _ in 0..<2 { for session in sessions { try session.exchange() } }
      #expect(Set(try sessions.map { try $0.store.digest().total }).count == 1)
      for session in sessions {
        #expect(try codes(session).isEmpty)
        #expect(try Engine.verify(store: session.store.path).otherTypes == [])
      }
    }
  }

  private func codes(_ session: SyncSession) throws -> [Finding] {
    try Engine.diagnose(store: session.store.path).filter { $0.code == .rules }
  }

  @Test(arguments: [("1", "2"), ("'1'", "1"), ("NULL", "0"), ("(random())", "(1)")])
  func `devices with different defaults do not synchronise, and say so`(
    first: String, second: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY, c DEFAULT \(first))")
      try a.execute("INSERT INTO t (k) VALUES (1)")
      try a.exchange()
      #expect {
        try devices.attach("b", "CREATE TABLE t (k INTEGER PRIMARY KEY, c DEFAULT \(second))")
      } throws: {
        "\($0)".contains("do not agree on the default of column c of table t")
          && "\($0)".contains("; move the database aside, and attach without it")
      }
      // The column comes to both stores when they are attached already.
      let c = try devices.open("c", "CREATE TABLE s (k INTEGER PRIMARY KEY)")
      let d = try devices.open("d", "CREATE TABLE s (k INTEGER PRIMARY KEY)")
      try c.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, c DEFAULT \(second))")
      let report = try c.synchronize()
      #expect("\(String(describing: report.failure))".contains("default of column c of table t"))
      let found = try codes(devices, "c").filter { $0.code == .disagreement }
      #expect(found.first?.explanation.contains("default of column c of table t") == true)
      _ = d
    }
  }

  @Test func `different defaults are found where a migration has renamed the table or the column`()
    throws
  {
    for change in [
      "-- tributary: rename t to u\nALTER TABLE t RENAME TO u;",
      "-- tributary: rename t.c to t.d\nALTER TABLE t RENAME COLUMN c TO d;",
    ] {
      try withTemporaryDirectory { directory in
        let devices = try SyncDevices(in: directory)
        let first = Migration(name: "1", sql: "CREATE TABLE t (k INTEGER PRIMARY KEY)")
        let a = try devices.open("a", first.sql)
        let b = try devices.open("b", first.sql)
        try a.execute("INSERT INTO t VALUES (1)")
        try exchange(a, b)
        // Both add the column while they are apart, and one renames it or its table.
        let added = Migration(name: "2", sql: "ALTER TABLE t ADD COLUMN c DEFAULT 5")
        try a.store.migrate([first, added, Migration(name: "3", sql: change)])
        try b.execute("ALTER TABLE t ADD COLUMN c DEFAULT 6")
        _ = try a.synchronize()
        for session in [b, a] {
          let failure = "\(String(describing: try session.synchronize().failure))"
          #expect(failure.contains("do not agree on the default of column"), "\(change)")
        }
      }
    }
  }

  @Test func `a device that gives up its default by detaching keeps nobody waiting`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, v)"
      let (a, b) = (try devices.open("a", script), try devices.open("b", script))
      try a.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
      try exchange(a, b)
      try a.execute("ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 5; UPDATE t SET c = 1 WHERE k = 1")
      try b.execute("ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 6; UPDATE t SET c = 2 WHERE k = 2")
      _ = try a.synchronize()
      _ = try b.synchronize()
      #expect(try a.synchronize().failure != nil)
      // What the error says, to the letter.
      b.store.close()
      try Engine.detach(store: b.store.path, removeLogs: false)
      try FileManager.default.moveItem(atPath: b.store.path, toPath: directory + "/aside.db")
      try devices.attach("b")
      let again = try SyncSession(store: devices.path("b"))
      try devices.attach("c")
      let c = try SyncSession(store: devices.path("c"))
      try expectEqualAfterExchange(a, again, c)
      #expect(try a.rows("SELECT * FROM t") == ["1|a|1", "2|b|2"])
      #expect(
        try c.rows("SELECT dflt_value FROM pragma_table_info('t') WHERE name = 'c'") == ["5"])
    }
  }

  @Test(arguments: [("1", "+1"), ("'a'", "'a' /* the same */"), ("NULL", "(NULL)"), ("TRUE", "1")])
  func `defaults that are spelled otherwise are the same`(first: String, second: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY, c DEFAULT \(first))")
      let b = try devices.open("b", "CREATE TABLE t (k INTEGER PRIMARY KEY, c DEFAULT \(second))")
      try a.execute("INSERT INTO t (k) VALUES (1)")
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `what a device had that is gone is no difference`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.open("b", Self.table)
      try exchange(a, b)
      try b.execute("CREATE UNIQUE INDEX i ON t (u)")
      try exchange(a, b)
      #expect(try codes(devices, "a").contains { $0.code == .rules })
      _ = try a.retire("\(b.store.peer)")
      #expect(try !codes(devices, "a").contains { $0.code == .rules })
    }
  }
}
