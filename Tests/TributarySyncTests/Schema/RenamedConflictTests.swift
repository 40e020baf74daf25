import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Conflicts whose rows the logs name as migrations have renamed them since.
struct RenamedConflictTests {
  private static let first = Migration(
    name: "1",
    sql: """
      CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE album (id TEXT PRIMARY KEY NOT NULL, title TEXT, artist INTEGER REFERENCES artist (id))
      """)
  private static let all = [
    first,
    Migration(
      name: "2",
      sql: """
        -- tributary: rename artist to person
        ALTER TABLE artist RENAME TO person;
        -- tributary: rename album to record
        ALTER TABLE album RENAME TO record;
        -- tributary: rename record.title to record.name
        ALTER TABLE record RENAME COLUMN title TO name;
        """),
  ]

  /// Lends two devices with an artist and an album, of which `a` has migrated.
  private func withRenamed(
    _ body: (_ a: SyncSession, _ b: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (a, b) = (try devices.open("a", Self.first.sql), try devices.open("b", Self.first.sql))
      try a.execute(
        "INSERT INTO artist VALUES (1, 'Joni'); INSERT INTO album VALUES ('x', 'Blue', 1)")
      try exchange(a, b)
      try a.store.migrate(Self.all)
      try body(a, b)
    }
  }

  @Test(arguments: [false, true])
  func `a deleted row comes back from logs that have its table under another name`(
    onOld: Bool
  ) throws {
    try withRenamed { a, b in
      try a.execute("DELETE FROM record")
      try b.execute("UPDATE album SET title = 'Blue!'")
      try exchange(a, b)
      #expect(try a.conflicts().map(\.kind) == [.delete])
      let session = onOld ? b : a
      #expect(try session.resolve(session.conflicts()[0].id, .restore))
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM record") == ["x|Blue!|1"])
      #expect(try b.rows("SELECT * FROM album") == ["x|Blue!|1"])
      #expect(try a.conflicts().isEmpty && b.conflicts().isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `a parent comes back from logs that have its table under another name`(
    onOld: Bool
  ) throws {
    try withRenamed { a, b in
      try a.execute("DELETE FROM record; DELETE FROM person")
      try b.execute("INSERT INTO album VALUES ('y', 'Hejira', 1)")
      try exchange(a, b)
      #expect(try a.conflicts().map(\.kind) == [.foreignKey])
      let session = onOld ? b : a
      #expect(try session.resolve(session.conflicts()[0].id, .restore))
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM person") == ["1|Joni"])
      #expect(try a.rows("SELECT * FROM record") == ["y|Hejira|1"])
      #expect(try b.rows("SELECT * FROM album") == ["y|Hejira|1"])
      #expect(try a.conflicts().isEmpty && b.conflicts().isEmpty)
    }
  }
}
