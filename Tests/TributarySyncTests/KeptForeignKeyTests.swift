import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases whose programs leave foreign keys off, as SQLite does by default.
struct KeptForeignKeyTests {
  private static let script = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT,
      artist INTEGER REFERENCES artist ON DELETE CASCADE)
    """
  private static let dangling =
    script + """
      ;
      INSERT INTO artist VALUES (1, 'here');
      INSERT INTO album VALUES (1, 'one', 1), (2, 'two', 7)
      """

  private func make(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  private func manifest(_ devices: SyncDevices, _ session: SyncSession) throws -> String {
    try String(
      contentsOfFile:
        "\(devices.container)/tributary/C/peers/\(session.store.identity().peer)/peer.json",
      encoding: .utf8)
  }

  private let keep = MergeOptions(foreignKeys: .keep)
  private let enforce = MergeOptions(foreignKeys: .enforce)

  @Test func `rows that refer to none stay, on all devices, and so they go on`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try make(devices, "a", Self.dangling)
      let report = try devices.attach("a")
      #expect(
        report.warnings.contains {
          $0.hasPrefix(
            "foreign keys are not enforced, on any device (--foreign-keys keep; row 2 of table album refers to "
              + "a row of artist, which does not exist)")
        })
      let a = try SyncSession(store: devices.path("a"))
      #expect(try manifest(devices, a).contains(#""foreignKeys":"keep""#))
      try a.exchange()
      let b = try devices.open("b", merge: keep)
      #expect(try b.store.mergeOptions() == keep)
      // Nothing goes with a row that is deleted, nothing is refused, nothing is held.
      try b.execute("DELETE FROM artist; INSERT INTO album VALUES (3, 'three', 8)")
      try a.execute("INSERT INTO album VALUES (4, 'four', 1)")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id, artist FROM album ORDER BY id")
            == ["1|1", "2|7", "3|8", "4|1"])
        #expect(try session.conflicts() == [])
      }
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty)
        let findings = try Engine.diagnose(store: devices.path(name))
        let finding = try #require(findings.first { $0.code == .dangling })
        #expect(finding.severity == .note && finding.explanation.contains("row 1 of table album"))
        #expect(!findings.contains { $0.code == .foreignKey })
      }
      let digest = try a.store.digest().total
      do {
        let c = try devices.open("c")
        try c.exchange()
        #expect(try c.store.digest().total == digest)
      }
      _ = try Engine.rebuild(store: devices.path("c"))
      #expect(try SyncSession(store: devices.path("c")).store.digest().total == digest)
    }
  }

  @Test func `references still follow rows whose numbers were given twice, held ones too`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script, merge: keep)
      let b = try devices.open("b", Self.script, merge: keep)
      try a.execute("INSERT INTO artist (name) VALUES ('x'); INSERT INTO album VALUES (1, 'a', 1)")
      try b.execute(
        """
        INSERT INTO artist (name) VALUES ('y'), ('x');
        INSERT INTO album VALUES (1, 'y', 1), (2, 'x', 2)
        """)
      try exchange(a, b)
      try b.execute("INSERT INTO artist (name) VALUES ('z')")
      #expect(try b.rows("SELECT id FROM artist WHERE name = 'z'") == ["2"])
      #expect(try b.rows("SELECT artist < 0 FROM album WHERE title = 'x'") == ["1"])
      try expectEqualAfterExchange(a, b)
      try a.execute("DELETE FROM artist WHERE name = 'x'")
      try expectEqualAfterExchange(a, b)
      #expect(
        try b.rows(
          "SELECT l.title, ifnull(a.name, '-') FROM album AS l LEFT JOIN artist AS a ON a.id = l.artist ORDER BY 1"
        )
          == ["a|-", "x|x", "y|y"])
      for name in ["a", "b"] {
        #expect(try Engine.verify(store: devices.path(name)).differences.isEmpty)
      }
    }
  }

  @Test func `to enforce them, there must be no rows that refer to none`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try make(devices, "a", Self.dangling)
      let error = try #require(throws: StoreError.self) {
        try devices.attach("a", merge: enforce)
      }
      #expect(error.code == .adoption)
      #expect(error.message.contains("row 2 of table album refers to a row of artist"))
      #expect(error.remedy.contains("foreignKeys: .keep"))
      try make(devices, "b", Self.script + "; INSERT INTO artist VALUES (1, 'x')")
      try devices.attach("b")
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.store.mergeOptions().isEmpty)
      #expect(throws: SQLiteError.self) { try b.execute("INSERT INTO album VALUES (1, 'x', 9)") }
    }
  }

  @Test(arguments: [ForeignKeys.keep, .enforce])
  func `devices that disagree are refused, and what holds is not changed afterwards`(
    first: ForeignKeys
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let own = MergeOptions(foreignKeys: first)
      let other = MergeOptions(foreignKeys: first == .keep ? .enforce : .keep)
      let a = try devices.open("a", Self.script, merge: own)
      try a.execute("INSERT INTO artist VALUES (1, 'x')")
      try a.exchange()
      let error = try #require(throws: SyncError.self) { try devices.attach("b", merge: other) }
      #expect(error.code == .mergeDisagreement && error.message.contains("--foreign-keys"))
      try devices.attach("a", merge: own)
      let refused = try #require(throws: StoreError.self) { try devices.attach("a", merge: other) }
      #expect(refused.code == .mergeOptions && refused.message.contains(first.rawValue))
      let b = try devices.open("b")
      try b.exchange()
      let present = try b.store.mergeOptions()
      #expect(present.foreignKeys == (first == .keep ? .keep : nil))
    }
  }

  @Test func `rows of a table that is left out are demanded by no import, and attach says it`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try make(
        devices, "a",
        Self.script + """
          ;
          INSERT INTO artist VALUES (1, 'here');
          INSERT INTO album VALUES (1, 'one', 1)
          """)
      let report = try devices.attach("a", tables: .except(["artist"]))
      #expect(
        report.warnings.contains {
          $0.hasPrefix("album.artist to artist: the table that is referred to is left out")
        })
      let a = try SyncSession(store: devices.path("a"))
      #expect(try a.store.mergeOptions().isEmpty)
      try a.exchange()
      let b = try devices.open("b")
      try b.exchange()
      #expect(try b.rows("SELECT title FROM album") == ["one"])
      #expect(try b.conflicts() == [])
      #expect(!(try Engine.diagnose(store: devices.path("b"))).contains { $0.code == .foreignKey })
      try b.store.run(
        script: "PRAGMA foreign_keys = OFF; INSERT INTO album VALUES (2, 'two', 5)"
      ) { _ in }
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT count(*) FROM album") == ["2"])
      #expect(try Engine.verify(store: devices.path("b")).differences.isEmpty)
    }
  }

  @Test(arguments: [
    "CREATE TABLE p (id INTEGER PRIMARY KEY, code)",
    "CREATE TABLE p (a, code, PRIMARY KEY (code, a))",
    "CREATE TABLE p (id INTEGER PRIMARY KEY, code); CREATE UNIQUE INDEX u ON p (code) WHERE code > 0",
    "CREATE TABLE q (code); CREATE VIEW p AS SELECT code FROM q",
  ])
  func `foreign keys that SQLite cannot check are kept as they are`(parent: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let connection = try Connection(path: devices.path("a"), mode: .create)
      try connection.execute(
        """
        \(parent); CREATE TABLE c (id INTEGER PRIMARY KEY, code REFERENCES p (code));
        INSERT INTO c VALUES (1, 'x')
        """)
      connection.close()
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.merge = MergeOptions()
      request.merge?.foreignKeys = .enforce
      let error = #expect(throws: StoreError.self) { try Engine.attach(request) }
      #expect(error?.message.contains("foreign key mismatch") == true, "\(error as Any)")
      #expect(error?.remedy.contains("keep") == true)
      let (a, b) = (try devices.open("a"), try devices.open("b"))
      try a.execute("INSERT INTO c VALUES (2, 'y')")
      try exchange(a, b)
      #expect(try b.rows("SELECT id, code FROM c") == ["1|x", "2|y"])
      for session in [a, b] {
        let findings = try Engine.diagnose(store: session.store.path)
        #expect(findings.filter { $0.severity == .damage }.isEmpty, "\(findings)")
        #expect(!"\(findings)".contains("could not be examined"))
      }
    }
  }
}
