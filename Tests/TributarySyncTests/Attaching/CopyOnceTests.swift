import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables that are left out and whose rows new devices get once.
struct CopyOnceTests {
  private static let script = """
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE version (number, what);
    CREATE INDEX byNumber ON version (number);
    INSERT INTO version VALUES (7, 'seven'), (1.5, x'00ff'), (NULL, '');
    """

  private func attach(
    _ devices: SyncDevices, _ name: String, _ copyOnce: [String]?,
    tables: TableSelection? = .except(["version"])
  ) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.tables = tables
    request.copyOnce = copyOnce
    return try Engine.attach(request)
  }

  private func run(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  private func versions(_ session: SyncSession) throws -> [String] {
    try session.rows(
      "SELECT typeof(number), number, hex(what), typeof(what) FROM version ORDER BY rowid")
  }

  private static let original = [
    "integer|7|736576656E|text", "real|1.5|00FF|blob", "null|null||text",
  ]

  @Test func `new devices get them as they were, and later changes stay where they are`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      // It waits for its tables.
      _ = try attach(devices, "w", nil, tables: nil)
      try run(devices, "a", Self.script)
      let report = try attach(devices, "a", ["VERSION"])
      #expect(
        report.notes.contains {
          $0.kind == .declared && $0.text == "new devices get the rows of version once: 3 rows"
        })
      let a = try SyncSession(store: devices.path("a"))
      try a.execute("UPDATE version SET number = 8")
      try a.execute("INSERT INTO song VALUES (1, 'one')")
      try a.exchange()
      _ = try attach(devices, "b", nil, tables: nil)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try versions(b) == Self.original)
      #expect(try b.rows("SELECT name FROM sqlite_schema WHERE name = 'byNumber'") == ["byNumber"])
      let w = try SyncSession(store: devices.path("w"))
      try w.exchange()
      #expect(try versions(w) == Self.original)
      try b.execute("DELETE FROM version")
      try expectEqualAfterExchange(a, b, w)
      #expect(try b.rows("SELECT * FROM version").isEmpty)
      #expect(try versions(w) == Self.original)
      // Whoever is there passes them on.
      for session in [a, w] {
        try FileManager.default.removeItem(
          atPath: devices.container + "/tributary/C/peers/\(session.store.peer)/peer.json")
      }
      _ = try attach(devices, "c", nil, tables: nil)
      #expect(try versions(SyncSession(store: devices.path("c"))) == Self.original)
    }
  }

  @Test func `tables that are shared, missing or too large are refused by name`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try run(
        devices, "a",
        Self.script + "CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(40000))")
      let error = #expect(throws: AttachError.self) {
        try attach(
          devices, "a", ["song", "nothing", "large"], tables: .except(["version", "large"]))
      }
      #expect(error?.refusals.map(\.table) == ["song", "nothing", "large"])
      #expect(error?.refusals.first?.options == [.except("song")])
      #expect(error?.refusals.last?.message.contains("more than 65536 bytes") == true)
      _ = try attach(devices, "a", ["version"], tables: .except(["version", "large"]))
      let again = #expect(throws: StoreError.self) {
        try attach(devices, "a", ["song"], tables: nil)
      }
      #expect(again?.message.contains("table song is shared") == true)
    }
  }
}
