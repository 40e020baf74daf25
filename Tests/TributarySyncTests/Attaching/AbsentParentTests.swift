import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Foreign keys to tables that do not exist, as some programs' schemas have them.
struct AbsentParentTests {
  private static let script = """
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, album INTEGER REFERENCES "Album" (id)
      ON DELETE CASCADE);
    CREATE TABLE note (song INTEGER REFERENCES song, text TEXT PRIMARY KEY,
      kind TEXT NOT NULL REFERENCES kind);
    INSERT INTO song VALUES (1, 'one', 7);
    INSERT INTO note VALUES (1, 'first', 'k')
    """

  /// What another program does to the file, with foreign keys off, as SQLite has them.
  private func run(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  private func attach(_ devices: SyncDevices, _ name: String) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.capture = .triggers
    return try Engine.attach(request)
  }

  @Test func `they hold back no row, on any device, and attach says how the tables are written`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try run(devices, "a", Self.script)
      let report = try attach(devices, "a")
      #expect(report.outcome == .adopted(rows: 2))
      #expect(
        report.warnings.last?.hasPrefix(
          "tables song, note refer to tables Album, kind, which do not exist: ") == true)
      #expect(report.warnings.last?.contains("when `tributary sql` writes them, all") == true)
      let a = try SyncSession(store: devices.path("a"))
      try a.exchange()
      #expect(try attach(devices, "b").warnings == report.warnings)
      let b = try SyncSession(store: devices.path("b"))
      try run(devices, "b", "INSERT INTO song VALUES (2, 'two', 8)")
      try run(devices, "b", "UPDATE song SET album = 9 WHERE id = 1")
      try run(devices, "a", "UPDATE note SET kind = 'other'")
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, title, album FROM song ORDER BY id")
            == ["1|one|9", "2|two|8"])
        #expect(try session.rows("SELECT song, text, kind FROM note") == ["1|first|other"])
        #expect(try session.conflicts() == [])
      }
      try expectEqualAfterExchange(a, b)
      #expect(try Engine.verify(store: devices.path("b")).differences.isEmpty)
      let findings = try Engine.diagnose(store: devices.path("b"))
      #expect(!findings.contains { $0.code == .foreignKey })
    }
  }

  @Test func `the parent of a constraint still has to be there`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try run(devices, "a", Self.script + "; UPDATE note SET song = 5")
      let error = try #require(throws: StoreError.self) {
        try devices.attach("a", merge: MergeOptions(foreignKeys: .enforce))
      }
      #expect(error.code == .adoption)
      #expect(error.message.contains("of table note refers to a row of song"))
    }
  }

  /// Returns a device with the tables of the script and a table that has nothing to do with them.
  private func device(in directory: String) throws -> SyncSession {
    let devices = try SyncDevices(in: directory)
    try run(
      devices, "a",
      Self.script + """
        ; CREATE TABLE shelf (id INTEGER PRIMARY KEY);
        CREATE TABLE book (id INTEGER PRIMARY KEY, shelf INTEGER REFERENCES shelf ON DELETE CASCADE);
        CREATE TABLE page (song INTEGER REFERENCES song ON DELETE CASCADE, id INTEGER PRIMARY KEY);
        INSERT INTO shelf VALUES (1); INSERT INTO book VALUES (1, 1)
        """)
    _ = try attach(devices, "a")
    return try SyncSession(store: devices.path("a"))
  }

  @Test func `our own connection writes such tables, again and again`() throws {
    try withTemporaryDirectory { directory in
      let a = try device(in: directory)
      for number in 2...4 {
        try a.store.write { database in
          try database.execute("INSERT INTO song VALUES (?, 'x', 8)", number)
          let update = try database.prepare("UPDATE song SET title = ? WHERE id = ?")
          try update.run("song \(number)", number)
        }
      }
      try a.execute("DELETE FROM song WHERE id = 3")
      try a.execute(
        "CREATE TRIGGER t AFTER INSERT ON shelf BEGIN DELETE FROM song WHERE id = 4; END")
      try a.execute("INSERT INTO shelf VALUES (2)")
      #expect(try a.rows("SELECT id, title FROM song ORDER BY id") == ["1|one", "2|song 2"])
      #expect(try a.synchronize().published.transactions == 6)
      #expect(try Engine.verify(store: a.store.path).differences.isEmpty)
    }
  }

  @Test func `its other foreign keys are checked when such a transaction ends`() throws {
    try withTemporaryDirectory { directory in
      let a = try device(in: directory)
      for sql in [
        "INSERT INTO note VALUES (3, 'third', 'k')",
        "UPDATE note SET song = 3",
        "INSERT INTO song VALUES (2, 'two', 8); INSERT INTO book VALUES (2, 2)",
        "INSERT INTO page VALUES (1, 1); DELETE FROM note; DELETE FROM song",
      ] {
        let before = try a.rows("SELECT * FROM song, note, book")
        let error = #expect(throws: SQLiteError.self) {
          try a.store.run(script: sql) { _ in }
        }
        #expect(error?.resultCode == SQLiteError.foreignKeyViolation, "\(sql)")
        #expect(try a.rows("SELECT * FROM song, note, book") == before)
      }
      try a.store.run(
        script: """
          INSERT INTO note VALUES (2, 'second', 'k'); INSERT INTO song VALUES (2, 'two', 8);
          DELETE FROM note WHERE song = 1; DELETE FROM song WHERE id = 1
          """
      ) { _ in }
      #expect(try a.rows("SELECT song, text FROM note") == ["2|second"])
    }
  }

  @Test func `other transactions keep their foreign keys`() throws {
    try withTemporaryDirectory { directory in
      let a = try device(in: directory)
      try a.execute("INSERT INTO song VALUES (2, 'two', 8)")
      try a.execute("DELETE FROM shelf")
      #expect(try a.rows("SELECT * FROM book") == [])
      #expect(throws: SQLiteError.self) { try a.execute("INSERT INTO book VALUES (2, 2)") }
      let error = #expect(throws: SQLiteError.self) { try a.execute("DELETE FROM main.Album") }
      #expect(error?.message == "no such table: main.Album")
    }
  }

  @Test func `foreign keys can still be switched off by the pragma`() throws {
    try withTemporaryDirectory { directory in
      let a = try device(in: directory)
      try a.store.run(
        script: "PRAGMA foreign_keys = OFF; INSERT INTO song VALUES (2, 'two', 8)"
      ) { _ in }
      #expect(throws: SQLiteError.self) {
        try a.store.run(
          script: "PRAGMA foreign_keys = OFF; INSERT INTO note VALUES (3, 'third', 'k')"
        ) { _ in }
      }
      #expect(try a.rows("SELECT title FROM song ORDER BY id") == ["one", "two"])
    }
  }
}
