import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What programs write past the triggers: with triggers switched off, into blobs in place, and into tables that
/// are too wide for triggers.
struct UntriggeredWriteTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n REAL, b);
    CREATE TABLE c (k TEXT, s INTEGER, v TEXT, PRIMARY KEY (k, s)) WITHOUT ROWID;
    CREATE TABLE own (x);
    INSERT INTO p VALUES (1, 'one', 1.5, zeroblob(9000)), (2, 'two', 2, 't'), (3, 'three', 0.0, NULL);
    INSERT INTO c VALUES ('a', 1, 'x'), ('b', 1, 'y');
    """

  private func withPair(
    _ script: String = script, capture: CaptureMethod = .triggers,
    _ body: (SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      func open(_ name: String, _ script: String?) throws -> SyncSession {
        var request = AttachRequest(
          store: devices.path(name), container: devices.container, contentName: "C")
        if let script { request.migrations = [Migration(name: "1", sql: script)] }
        if script?.contains("TABLE own") == true { request.tables = .except(["own"]) }
        request.capture = capture
        _ = try Engine.attach(request)
        return try SyncSession(store: devices.path(name))
      }
      let a = try open("a", script)
      #expect(try !mayBeForeign(a))
      try a.exchange()
      let b = try open("b", nil)
      try exchange(a, b)
      try body(a, b)
    }
  }

  /// As a process sees it that has just begun, and that changes nothing.
  private func mayBeForeign(_ session: SyncSession) throws -> Bool {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    connection.keepWriteAheadLog()
    defer { connection.close() }
    return try ForeignCapture(connection).isBroken()
  }

  private func write(
    _ sql: String, to session: SyncSession, firingTriggers: Bool = false
  ) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    connection.setTriggers(firing: firingTriggers)
    try connection.execute(sql)
  }

  private func writeInPlace(_ bytes: [UInt8], at offset: Int32, to session: SyncSession) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.writeInPlace(table: "p", column: "b", row: 1, bytes, at: offset)
  }

  private func expectEqual(_ sessions: SyncSession...) throws {
    for _ in 0..<3 { for session in sessions { try session.exchange() } }
    #expect(try Set(sessions.map { try $0.store.digest().total }).count == 1)
    for session in sessions {
      #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
    }
  }

  @Test(arguments: [
    ("INSERT INTO p VALUES (9, 'new', 1, 1); UPDATE p SET n = 7 WHERE id = 2", "table p"),
    ("DELETE FROM p WHERE id = 3; UPDATE c SET v = 'z' WHERE k = 'b'", "tables c, p"),
  ])
  func `a program that switches triggers off is noticed, and no import overwrites it`(
    sql: String, tables: String
  ) throws {
    try withPair { a, b in
      try b.execute("UPDATE p SET n = 100, name = 'of b' WHERE id = 1")
      try b.exchange()
      try write("UPDATE p SET b = 'of a' WHERE id = 1; " + sql, to: a)
      #expect(try a.status().findings.contains { $0.contains("of \(tables)") })
      let rows = try (a.rows("SELECT * FROM p WHERE id > 1"), a.rows("SELECT * FROM c"))
      #expect(try a.synchronize().uncaptured?.description.contains("of \(tables) while") == true)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT * FROM p WHERE id > 1") == rows.0)
      #expect(try b.rows("SELECT * FROM c") == rows.1)
      #expect(try b.rows("SELECT name, n, b FROM p WHERE id = 1") == ["of b|100.0|of a"])
      #expect(try !mayBeForeign(a))
    }
  }

  @Test(arguments: [0, 8000] as [Int32])
  func `a blob that is written in place is noticed`(offset: Int32) throws {
    try withPair { a, b in
      try writeInPlace([1, 2, 3], at: offset, to: a)
      #expect(try mayBeForeign(a))
      try expectEqual(a, b)
      let length = "SELECT hex(substr(b, \(offset + 1), 3)) FROM p WHERE id = 1"
      #expect(try b.rows(length) == ["010203"])
    }
  }

  @Test func `it is noticed when the program has closed the database last`() throws {
    try withPair { a, b in
      a.store.close()
      try write("UPDATE p SET n = 3 WHERE id = 2", to: a)
      let again = try SyncSession(store: a.store.path)
      #expect(try again.synchronize().uncaptured?.tables == ["p"])
      try expectEqual(again, b)
      #expect(try b.rows("SELECT n FROM p WHERE id = 2") == ["3.0"])
    }
  }

  @Test(arguments: [CaptureMethod.hook, .triggers], [1950, 1999])
  func `a table that is too wide for triggers is compared`(
    capture: CaptureMethod, count: Int
  ) throws {
    let columns = (1..<count).map { "c\($0)" }.joined(separator: ", ")
    let script = """
      CREATE TABLE wide (id TEXT COLLATE NOCASE PRIMARY KEY, \(columns));
      CREATE TABLE t (id INTEGER PRIMARY KEY, a);
      INSERT INTO wide (id, c1, c2) VALUES ('a', 1, NULL), ('b', 1, 1), ('c', 1, 1);
      """
    try withPair(script, capture: capture) { a, b in
      try b.execute("UPDATE wide SET c3 = 'of b' WHERE id = 'a'")
      try b.exchange()
      try write(
        """
        INSERT INTO t (a) VALUES ('x'); DELETE FROM wide WHERE id = 'b';
        UPDATE wide SET c2 = 'of a', c1 = NULL WHERE id = 'a';
        UPDATE wide SET id = 'C' WHERE id = 'c'; INSERT INTO wide (id, c1) VALUES ('new', 2)
        """, to: a, firingTriggers: true)
      #expect(try a.synchronize().uncaptured?.tables.contains("wide") == true)
      try expectEqual(a, b)
      #expect(
        try b.rows("SELECT id, c1, c2, c3 FROM wide ORDER BY id")
          == ["a|null|of a|of b", "C|1|1|null", "new|2|null|null"])
      #expect(try b.rows("SELECT a FROM t") == ["x"])
      #expect(try !mayBeForeign(a))
    }
  }

  @Test func `nothing is compared for what triggers capture, or what no device shares`() throws {
    try withPair { a, _ in
      for _ in 0..<3 {
        try write("UPDATE p SET n = n + 1", to: a, firingTriggers: true)
        #expect(try !mayBeForeign(a))
        try write("INSERT INTO own VALUES (1); CREATE INDEX IF NOT EXISTS i ON own (x)", to: a)
        #expect(try !mayBeForeign(a))
        // So many that the journal has several levels.
        try write(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
          INSERT OR REPLACE INTO c SELECT 'many', i, hex(randomblob(20)) FROM n
          """, to: a, firingTriggers: true)
        #expect(try !mayBeForeign(a))
        #expect(try a.synchronize().uncaptured == nil)
      }
    }
  }

  /// What happens to a store, by its own processes and by others.
  private enum Step: CaseIterable {
    case own, beside, look, synchronize, close
    case captured, many, large, rolledBack, unshared, uncaptured, inPlace
  }

  @Test(arguments: 0..<(Soak.isRunning ? 1000 : 12) as Range<UInt64>)
  func `no write past the triggers is missed between any others`(seed: UInt64) throws {
    try withPair { first, b in
      var random = SeededGenerator(seed: seed)
      var session: SyncSession? = first
      // A program that has the database open all the time, so that the log stays.
      let other = try Connection(path: first.store.path, mode: .readWrite)
      defer { other.close() }
      try other.execute("PRAGMA wal_autocheckpoint = 0")
      var isUnknown = false
      func opened() throws -> SyncSession {
        let open = try session ?? SyncSession(store: first.store.path)
        session = open
        return open
      }
      for count in 1...40 {
        let step = Step.allCases.randomElement(using: &random)!
        other.setTriggers(firing: true)
        switch step {
        case .own: try opened().execute("UPDATE p SET n = n + 1 WHERE id = 1")
        case .beside: try opened().execute("INSERT INTO own VALUES (1)")
        case .look: _ = try opened().publish()
        case .synchronize:
          try opened().exchange()
          isUnknown = false
        case .close:
          session?.store.close()
          session = nil
        case .captured: try other.execute("UPDATE p SET name = 'n\(count)' WHERE id = 2")
        case .many:
          try other.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO c SELECT '\(count)', i, 'v' FROM n
            """)
        case .large: try other.execute("UPDATE p SET name = hex(zeroblob(2000)) WHERE id = 3")
        case .rolledBack: try other.execute("BEGIN; DELETE FROM p; DELETE FROM c; ROLLBACK")
        case .unshared: try other.execute("INSERT INTO own VALUES (zeroblob(5000))")
        case .uncaptured:
          other.setTriggers(firing: false)
          try other.execute("UPDATE c SET v = '\(count)' WHERE k = 'a'")
          isUnknown = true
        case .inPlace:
          let offset = Int32(count * 100)
          try other.writeInPlace(table: "p", column: "b", row: 1, [UInt8(count)], at: offset)
          isUnknown = true
        }
        let found = try mayBeForeign(first)
        // A comparison in vain does no harm.
        #expect(found || !isUnknown, "\(step) as number \(count) of seed \(seed)")
      }
      let a = try opened()
      let rows = try (a.rows("SELECT * FROM p"), a.rows("SELECT * FROM c"))
      try expectEqual(a, b)
      #expect(try b.rows("SELECT * FROM p") == rows.0, "seed \(seed)")
      #expect(try b.rows("SELECT * FROM c") == rows.1, "seed \(seed)")
    }
  }

  /// To Swift they are equal, to SQLite they are not.
  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `columns whose names look alike are told apart`(capture: CaptureMethod) throws {
    try withPair(
      "CREATE TABLE t (k PRIMARY KEY, \"\u{E9}\", \"e\u{301}\"); INSERT INTO t VALUES (1, 2, 3)",
      capture: capture
    ) { a, b in
      try write("UPDATE t SET \"\u{E9}\" = 4, \"e\u{301}\" = 5", to: a)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT \"\u{E9}\", \"e\u{301}\" FROM t") == ["4|5"])
    }
  }
}
