import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Programs that drop or rename shared tables, or columns of theirs.
struct StoppedTableTests {
  private static let script = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT DEFAULT 'd');
    CREATE TABLE u (k TEXT PRIMARY KEY, t INTEGER REFERENCES t ON DELETE CASCADE);
    INSERT INTO t VALUES (1, 'x', 'y'), (2, 'x', 'y'); INSERT INTO u VALUES ('k', 1);
    """

  private func withPair(
    capture: CaptureMethod, follows: Bool = false,
    _ body: (SyncSession, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      func open(_ name: String, _ script: String?) throws -> SyncSession {
        var request = AttachRequest(
          store: devices.path(name), container: devices.container, contentName: "C")
        if let script { request.migrations = [Migration(name: "1", sql: script)] }
        request.capture = capture
        if follows { request.followsSchema = true }
        _ = try Engine.attach(request)
        return try SyncSession(store: devices.path(name))
      }
      let a = try open("a", Self.script)
      try a.exchange()
      let b = try open("b", nil)
      try exchange(a, b)
      try body(a, b)
    }
  }

  private func write(_ sql: String, to session: SyncSession) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    connection.setForeignKeys(enforced: false)
    try connection.execute(sql)
  }

  private static let losses = [
    "ALTER TABLE t RENAME COLUMN a TO title", "DROP TABLE t",
    """
    CREATE TABLE new (id INTEGER PRIMARY KEY, a); INSERT INTO new SELECT id, a FROM t; DROP TABLE t;
    ALTER TABLE new RENAME TO t
    """,
  ]

  @Test(arguments: [CaptureMethod.hook, .triggers], losses)
  func `the others go on in both directions, and what has arrived comes in afterwards`(
    capture: CaptureMethod, loss: String
  ) throws {
    try withPair(capture: capture) { first, b in
      var a = first
      try write(loss + "; INSERT INTO u VALUES ('of a', 2)", to: a)
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.stopped.count == 1)
      #expect(report.stopped.first?.message.contains("table t is neither published nor") == true)
      #expect(try a.status().findings.contains { $0.contains("table t is neither published") })
      #expect(
        try a.diagnose().contains {
          $0.code == .table && $0.explanation.contains("table t is neither")
        })
      try b.execute(
        """
        INSERT INTO t VALUES (3, 'new', 'of b'); UPDATE t SET b = 'of b' WHERE id = 1;
        INSERT INTO u VALUES ('of b', 3)
        """)
      for session in [b, a, b] {
        let report = try session.synchronize()
        #expect(report.failure == nil && report.waiting == [])
      }
      for session in [a, b] {
        #expect(try session.rows("SELECT k FROM u ORDER BY k") == ["k", "of a", "of b"])
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
      #expect(try b.rows("SELECT id FROM t") == ["1", "2", "3"])
      // The table comes back as it was.
      switch loss {
      case Self.losses[0]: try write("ALTER TABLE t RENAME COLUMN title TO a", to: a)
      case Self.losses[1]:
        try write("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT DEFAULT 'd')", to: a)
      default: try write("ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'd'", to: a)
      }
      #expect(try a.synchronize().stopped.first?.message.contains("table t is whole again") == true)
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      a = try SyncSession(store: a.store.path)
      #expect(try a.synchronize().stopped == [])
      for session in [a, b, a, b] { _ = try session.synchronize() }
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, a, b FROM t ORDER BY id")
            == ["1|x|of b", "2|x|y", "3|new|of b"])
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
      // It is captured again.
      try write("UPDATE t SET a = 'again' WHERE id = 2", to: a)
      for session in [a, b] { try session.exchange() }
      #expect(try b.rows("SELECT a FROM t WHERE id = 2") == ["again"])
    }
  }

  @Test(arguments: [
    ("CREATE TABLE t (id INTEGER PRIMARY KEY, pages)", "DROP TABLE t"),
    (
      "ALTER TABLE renamed ADD COLUMN a; UPDATE renamed SET a = 'new meaning'",
      "ALTER TABLE renamed DROP COLUMN a"
    ),
    (
      "ALTER TABLE renamed ADD COLUMN b INTEGER; UPDATE renamed SET b = 7",
      "ALTER TABLE renamed RENAME b TO fresh"
    ),
  ])
  func `a name that a migration gave up and a program gives again stops its table`(
    writing: String, mending: String
  ) throws {
    try withPair(capture: .hook) { first, b in
      var a = first
      let migrations = [
        Migration(name: "1", sql: Self.script),
        Migration(
          name: "2",
          sql: """
            -- tributary: rename t to renamed
            -- tributary: rename renamed.a to renamed.title
            -- tributary: drop renamed.b
            ALTER TABLE t RENAME TO renamed; ALTER TABLE renamed RENAME a TO title;
            ALTER TABLE renamed DROP COLUMN b
            """),
      ]
      try a.store.migrate(migrations)
      try exchange(a, b)
      try b.execute(
        "DELETE FROM t WHERE id = 2; UPDATE t SET a = 'of b'; INSERT INTO t VALUES (3, 'three', 'b')"
      )
      try b.exchange()
      try write(writing, to: a)
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(
        report.stopped.contains {
          $0.message.contains("under a name that a migration has given up")
            && $0.remedy.contains("another name")
        }, "\(report.stopped)")
      for session in [b, a, b] { _ = try session.synchronize() }
      #expect(try b.rows("SELECT id, a, b FROM t ORDER BY id") == ["1|of b|y", "3|three|b"])
      #expect(try b.conflicts() == [])
      try write(mending, to: a)
      _ = try a.synchronize()
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      a = try SyncSession(store: a.store.path)
      for session in [a, b, a, b] { _ = try session.synchronize() }
      #expect(try a.synchronize().stopped == [])
      #expect(
        try a.rows("SELECT id, title FROM renamed ORDER BY id") == ["1|of b", "3|three"])
      #expect(try b.rows("SELECT id, a, b FROM t ORDER BY id") == ["1|of b|y", "3|three|b"])
    }
  }

  private static let changes =
    losses + [
      """
      CREATE TABLE new (a PRIMARY KEY, id INTEGER, b); INSERT OR IGNORE INTO new SELECT a, id, b FROM t;
      DROP TABLE t; ALTER TABLE new RENAME TO t
      """
    ]

  @Test(arguments: [CaptureMethod.hook, .triggers], changes)
  func `a device that has never written notices it too, and nobody loses a row`(
    capture: CaptureMethod, change: String
  ) throws {
    try withPair(capture: capture, follows: true) { a, b in
      let rows = try a.rows("SELECT * FROM t ORDER BY id")
      try write(change + "; INSERT INTO u VALUES ('of b', NULL)", to: b)
      let report = try b.synchronize()
      #expect(report.failure == nil)
      #expect(report.stopped.count == 1)
      #expect(report.stopped.first?.message.contains("table t is neither published nor") == true)
      try a.execute("UPDATE t SET b = 'of a' WHERE id = 1; INSERT INTO u VALUES ('of a', NULL)")
      for session in [a, b, a] {
        let report = try session.synchronize()
        #expect(report.failure == nil && report.waiting == [])
      }
      #expect(try a.rows("SELECT * FROM t ORDER BY id") == ["1|x|of a"] + rows.dropFirst())
      for session in [a, b] {
        #expect(try session.rows("SELECT k FROM u ORDER BY k") == ["k", "of a", "of b"])
      }
    }
  }

  private static let forms = [
    """
    CREATE TABLE new (id INTEGER PRIMARY KEY, a, b TEXT DEFAULT 'd') WITHOUT ROWID;
    INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
    """,
    """
    CREATE TABLE new (id TEXT PRIMARY KEY, a, b TEXT DEFAULT 'd');
    INSERT INTO new SELECT * FROM t; DROP TABLE t; ALTER TABLE new RENAME TO t
    """,
  ]

  @Test(arguments: [CaptureMethod.hook, .triggers], forms)
  func
    `a table whose key is no row identifier any more stops, and both devices show the same rows in the end`(
      capture: CaptureMethod, form: String
    ) throws
  {
    try withPair(capture: capture) { first, b in
      var a = first
      try write(form + "; INSERT INTO t VALUES (3, 'new', 'of a')", to: a)
      try b.execute("INSERT INTO t VALUES (3, 'new', 'of b'); UPDATE t SET b = 'of b' WHERE id = 1")
      for session in [a, b, a] {
        let report = try session.synchronize()
        #expect(report.failure == nil && report.waiting == [])
      }
      let report = try a.synchronize()
      #expect(report.stopped.count == 1)
      #expect(report.stopped.first?.message.contains("changed the key of table t") == true)
      #expect(
        try b.rows("SELECT * FROM t ORDER BY id") == ["1|x|of b", "2|x|y", "3|new|of b"])
      let rows = try a.rows("SELECT * FROM t ORDER BY id")
      a.store.close()
      #expect(try Engine.rebuild(store: a.store.path).stopped == report.stopped)
      a = try SyncSession(store: a.store.path)
      #expect(try a.rows("SELECT * FROM t ORDER BY id") == rows)
      try write(
        """
        CREATE TABLE new (id INTEGER PRIMARY KEY, a, b TEXT DEFAULT 'd'); INSERT INTO new SELECT * FROM t;
        DROP TABLE t; ALTER TABLE new RENAME TO t
        """, to: a)
      _ = try a.synchronize()
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      a = try SyncSession(store: a.store.path)
      try exchange(a, b)
      #expect(try a.synchronize().stopped == [])
      for session in [a, b] {
        #expect(
          try session.rows("SELECT * FROM t ORDER BY id") == ["1|x|of b", "2|x|y", "3|new|of b"])
      }
    }
  }

  @Test(arguments: ["k INTEGER PRIMARY KEY", "other INTEGER PRIMARY KEY"])
  func `a key that a store changes before any log names its table stops nothing`(key: String) throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a", "CREATE TABLE t (k TEXT PRIMARY KEY); CREATE TABLE u (k TEXT PRIMARY KEY)")
      try a.store.write { database in
        try database.execute("DROP TABLE u")
        try database.execute("CREATE TABLE u (\(key))")
        try database.execute("INSERT INTO u VALUES (1)")
      }
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.stopped == [])
      #expect(report.published.transactions == 1)
    }
  }

  @Test func `a column that this store never had still waits for its migration`() throws {
    try withPair(capture: .triggers) { a, b in
      try write("ALTER TABLE t ADD COLUMN c; UPDATE t SET c = 1 WHERE id = 1", to: b)
      _ = try b.synchronize()
      let report = try a.synchronize()
      #expect(report.stopped == [] && report.waiting.count == 1)
    }
  }

  @Test(arguments: [CaptureMethod.hook, .triggers])
  func `a table stops once, whatever its name contains`(capture: CaptureMethod) throws {
    try withPair(capture: capture) { a, _ in
      try a.execute("CREATE TABLE \"a\nb\" (k TEXT PRIMARY KEY)")
      try a.execute("INSERT INTO \"a\nb\" VALUES ('x')")
      try a.exchange()
      try write("DROP TABLE \"a\nb\"", to: a)
      #expect(try a.synchronize().stopped.count == 1)
      let version = try a.rows("PRAGMA schema_version")
      #expect(try a.synchronize().stopped.first?.message.contains("table a\nb") == true)
      #expect(try a.rows("PRAGMA schema_version") == version)
      try a.execute("INSERT INTO u VALUES ('goes on', NULL)")
      #expect(try a.synchronize().published.transactions == 1)
    }
  }

  @Test
  func
    `no baseline is made of a store with a stopped table, and the error says what lets it go on`()
    throws
  {
    try withPair(capture: .hook) { a, _ in
      try write("ALTER TABLE t DROP COLUMN b", to: a)
      let stopped = try #require(try a.synchronize().stopped.first)
      #expect {
        try a.writeBaseline()
      } throws: {
        "\($0)".contains("no other one may be made from it: \(stopped)")
      }
    }
  }

  @Test(arguments: ["DROP TABLE u", "ALTER TABLE t DROP COLUMN b"])
  func `a migration that declares what is gone for good lets the table go on`(loss: String) throws {
    try withPair(capture: .hook) { first, b in
      var a = first
      try write(loss, to: a)
      let stopped = try #require(try a.synchronize().stopped.first)
      let declaration = try #require(
        stopped.remedy.split(separator: "`").first { $0.hasPrefix("-- tributary: drop") })
      try a.store.migrate([
        Migration(name: "1", sql: Self.script), Migration(name: "2", sql: String(declaration)),
      ])
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      a = try SyncSession(store: a.store.path)
      try b.execute("UPDATE t SET a = 'of b'; UPDATE u SET t = 2")
      try exchange(a, b)
      #expect(try a.synchronize().stopped == [])
      #expect(try a.rows("SELECT id, a FROM t ORDER BY id") == ["1|of b", "2|of b"])
      #expect(try Engine.verify(store: a.store.path).differenceCount == 0)
    }
  }

  @Test func `a renaming to the name of a table that has stopped says how to go on, and that does`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let first = Migration(name: "1", sql: "CREATE TABLE album (id INTEGER PRIMARY KEY, title)")
      let second = Migration(
        name: "2", sql: "-- tributary: rename album to record\nALTER TABLE album RENAME TO record")
      let a = try devices.open("a", first.sql)
      let b = try devices.open("b", first.sql)
      try a.execute("INSERT INTO album VALUES (1, 'x')")
      try exchange(a, b)
      try write("ALTER TABLE album RENAME TO record; INSERT INTO record VALUES (2, 'r')", to: a)
      _ = try a.synchronize()
      try write("ALTER TABLE record RENAME TO album", to: a)
      _ = try a.synchronize()
      #expect {
        try a.store.migrate([first, second])
      } throws: {
        "\($0)".contains(#"the migration declares `rename "album" to "record"`, but "#)
          && "\($0)".contains(
            "move the file aside, and attach with the migrations and without the file")
      }
      a.store.close()
      _ = try Engine.detach(store: devices.path("a"), removeLogs: false)
      try FileManager.default.moveItem(
        atPath: devices.path("a"), toPath: devices.path("aside"))
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.migrations = [first, second]
      _ = try Engine.attach(request)
      let again = try SyncSession(store: devices.path("a"))
      try b.store.migrate([first, second])
      try expectEqualAfterExchange(again, b)
      #expect(try b.rows("SELECT * FROM record ORDER BY id") == ["1|x", "2|r"])
    }
  }

  @Test func `a table that a store drops before any log names it stops nothing`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a", "CREATE TABLE t (k TEXT PRIMARY KEY); CREATE TABLE u (k TEXT PRIMARY KEY)")
      try a.execute("DROP TABLE u")
      try a.execute("INSERT INTO t VALUES ('x')")
      try a.store.write { database in
        try database.execute("CREATE TABLE v (k TEXT PRIMARY KEY)")
        try database.execute("DROP TABLE v")
        try database.execute("CREATE TABLE v (other TEXT PRIMARY KEY)")
      }
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.stopped == [])
      #expect(report.published.transactions == 1)
    }
  }
}
