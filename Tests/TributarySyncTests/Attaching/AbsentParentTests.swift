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

  @Test func `they hold back no row, on any device, and attach says who can write the tables`()
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
      #expect(report.warnings.last?.contains("`tributary sql` cannot write them") == true)
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

  @Test func `our own connection writes such tables where foreign keys are switched off`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try run(devices, "a", Self.script)
      _ = try attach(devices, "a")
      let a = try SyncSession(store: devices.path("a"))
      #expect(throws: SQLiteError.self) { try a.execute("INSERT INTO song VALUES (2, 'two', 8)") }
      try a.store.run(
        script: "PRAGMA foreign_keys = OFF; INSERT INTO song VALUES (2, 'two', 8)"
      ) { _ in }
      // References that do bind are checked all the same.
      #expect(throws: SQLiteError.self) {
        try a.store.run(
          script: "PRAGMA foreign_keys = OFF; INSERT INTO note VALUES (3, 'third', 'k')"
        ) { _ in }
      }
      #expect(try a.synchronize().published.transactions == 2)
      #expect(try a.rows("SELECT title FROM song ORDER BY id") == ["one", "two"])
    }
  }
}
