import Foundation
import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases that need functions, collations and tokenizers of an extension.
struct ExtensionTests {
  private static let script = """
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT COLLATE backwards,
      loud TEXT AS (shout(title)) STORED, CHECK (shout(title) <> 'no!'));
    CREATE INDEX byTitle ON song (title);
    CREATE VIRTUAL TABLE words USING fts5 (title, content = 'song', content_rowid = 'id',
      tokenize = 'loud');
    CREATE TRIGGER added AFTER INSERT ON song BEGIN
      INSERT INTO words (rowid, title) VALUES (new.id, new.title);
    END;
    INSERT INTO song (id, title) VALUES (1, 'one');
    """

  private func make(_ devices: SyncDevices, _ sql: String, _ file: String) throws {
    let connection = try Connection(path: devices.path("a"), mode: .create, extensions: [file])
    try connection.execute(sql)
    connection.close()
  }

  @discardableResult
  private func attach(
    _ devices: SyncDevices, _ name: String, _ files: [String]? = nil
  ) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.extensions = files
    return try Engine.attach(request)
  }

  /// As another process would see it, that has loaded nothing yet.
  private func forget(_ devices: SyncDevices, _ name: String) {
    Connection.setExtensions([], ofDatabase: devices.path(name))
  }

  @Test func `tables that need an extension are refused without it, and shared with it`() throws {
    try withTemporaryDirectory { directory in
      let file = try ExtensionFixture.build(in: directory)
      let devices = try SyncDevices(in: directory)
      try make(devices, Self.script, file)
      let before = try Data(contentsOf: URL(filePath: devices.path("a")))
      let refusal = #expect(throws: StoreError.self) { try attach(devices, "a") }
      #expect(refusal?.message.contains("backwards") == true)
      #expect(refusal?.remedy.contains("extensions") == true)
      #expect(try Data(contentsOf: URL(filePath: devices.path("a"))) == before)
      try attach(devices, "a", [file])
      forget(devices, "a")
      let a = try SyncSession(store: devices.path("a"))
      try a.execute("INSERT INTO song (id, title) VALUES (2, 'two')")
      #expect(throws: SQLiteError.self) {
        try a.execute("INSERT INTO song (id, title) VALUES (3, 'no')")
      }
      try a.exchange()
      let missing = #expect(throws: SQLiteError.self) { try attach(devices, "b") }
      #expect(missing?.remedy.contains("extensions") == true)
      try attach(devices, "b", [file])
      forget(devices, "b")
      let b = try SyncSession(store: devices.path("b"))
      try b.execute("UPDATE song SET title = 'three' WHERE id = 1")
      try b.exchange()
      try a.exchange()
      for session in [a, b] {
        #expect(try session.rows("SELECT loud FROM song ORDER BY title") == ["two!", "three!"])
        #expect(try session.rows("SELECT rowid FROM words ('two')") == ["2"])
      }
      try expectEqualAfterExchange(a, b)
      b.store.close()
      forget(devices, "b")
      #expect(try Engine.verify(store: devices.path("b")).differences.isEmpty)
      forget(devices, "b")
      _ = try Engine.rebuild(store: devices.path("b"))
      forget(devices, "b")
      #expect(
        try SyncSession(store: devices.path("b")).rows("SELECT loud FROM song ORDER BY title")
          == ["two!", "three!"])
    }
  }

  @Test func `what belongs to no shared table is left out by name, and made with the extension`()
    throws
  {
    try withTemporaryDirectory { directory in
      let file = try ExtensionFixture.build(in: directory)
      let devices = try SyncDevices(in: directory)
      try make(
        devices,
        """
        CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
        CREATE VIRTUAL TABLE words USING fts5 (title, content = 'song', content_rowid = 'id',
          tokenize = 'loud');
        CREATE TRIGGER added AFTER INSERT ON song BEGIN
          INSERT INTO words (rowid, title) VALUES (new.id, new.title);
        END;
        INSERT INTO song VALUES (1, 'one');
        """, file)
      try attach(devices, "a", [file])
      let a = try SyncSession(store: devices.path("a"))
      try a.exchange()
      let report = try attach(devices, "b")
      #expect(report.leftOut.map(\.name) == ["words", "added"])
      let b = try SyncSession(store: devices.path("b"))
      try b.execute("INSERT INTO song VALUES (2, 'two')")
      try b.exchange()
      try a.exchange()
      #expect(try a.rows("SELECT rowid FROM words ('two')") == ["2"])
      #expect(try b.status().findings.count { $0.hasPrefix("left out: ") } == 2)
      #expect(
        try Engine.diagnose(store: devices.path("b")).count {
          $0.explanation.contains("left out: ")
        }
          == 2)
      // Nothing is lost to those who join by what this device says.
      try FileManager.default.removeItem(
        atPath: devices.container + "/tributary/C/peers/\(a.store.peer)/peer.json")
      try attach(devices, "c", [file])
      #expect(
        try SyncSession(store: devices.path("c")).rows("SELECT rowid FROM words ('two')") == ["2"])
      b.store.close()
      let mended = try attach(devices, "b", [file])
      #expect(mended.leftOut.filter { $0.kind == .trigger }.isEmpty)
      let again = try SyncSession(store: devices.path("b"))
      try again.execute("INSERT INTO song VALUES (3, 'three')")
      #expect(try again.rows("SELECT rowid FROM words ('three')") == ["3"])
      #expect(try !again.status().findings.contains { $0.hasPrefix("left out: ") })
    }
  }

  @Test func `a file that cannot be loaded is named, and nothing is made`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let file = directory + "/none.so"
      let missing = #expect(throws: StoreError.self) { try attach(devices, "a", [file]) }
      #expect(missing?.path == file)
      try Data("no library".utf8).write(to: URL(filePath: file))
      let present = try devices.present()
      let broken = #expect(throws: SQLiteError.self) { try attach(devices, "a", [file]) }
      #expect(broken?.path == file)
      #expect(broken?.remedy.contains("extensions") == true)
      #expect(try devices.present() == present)
    }
  }

  @Test func `a copied database loads nothing by itself`() throws {
    try withTemporaryDirectory { directory in
      let file = try ExtensionFixture.build(in: directory)
      let devices = try SyncDevices(in: directory)
      try make(devices, Self.script, file)
      try attach(devices, "a", [file])
      let original = try Connection(path: devices.path("a"), mode: .readWrite)
      try original.execute("VACUUM INTO '\(devices.path("b"))'")
      original.close()
      forget(devices, "a")
      // Where no file says when it was made, nobody can tell.
      let born = try #require(StoreEnvironment().birth(devices.path("a")))
      try #require(StoreEnvironment().birth(devices.path("b")) != born)
      let b = try SyncSession(store: devices.path("b"))
      #expect(throws: SQLiteError.self) { try b.rows("SELECT shout('x')") }
      #expect(
        try b.status().findings.contains {
          $0.hasPrefix("the store was copied, and names SQLite extensions")
        })
      b.store.close()
      try attach(devices, "b", [file])
      #expect(try SyncSession(store: devices.path("b")).rows("SELECT shout('x')") == ["x!"])
    }
  }
}
