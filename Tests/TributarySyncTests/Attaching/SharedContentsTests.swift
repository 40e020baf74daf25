import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Full-text tables that programs fill, and whose contents are shared.
struct SharedContentsTests {
  private func withDatabase(
    _ script: String, _ body: (SyncDevices) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try foreign(devices.path("a"), script)
      try body(devices)
    }
  }

  /// As a program that knows nothing of us.
  private func foreign(_ path: String, _ sql: String) throws {
    let connection = try Connection(path: path, mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  @discardableResult
  private func attach(
    _ devices: SyncDevices, _ name: String, sharing tables: [String], isRehearsal: Bool = false
  ) throws -> AttachReport {
    var request = AttachRequest(
      store: devices.path(name), container: devices.container, contentName: "C")
    request.capture = .triggers
    request.shareContents = tables
    return isRehearsal ? try Engine.rehearse(request) : try Engine.attach(request)
  }

  private static let rows = "SELECT rowid, title, body FROM words ORDER BY rowid"

  @Test(arguments: ["fts3", "fts4", "fts5"])
  func `what programs write into a full-text table is found on all devices`(module: String) throws {
    let script = """
      CREATE VIRTUAL TABLE words USING \(module)(title, body);
      INSERT INTO words (rowid, title, body) VALUES (1, 'one', 'first'), (2, 'two', 'second')
      """
    try withDatabase(script) { devices in
      try attach(devices, "a", sharing: ["words"])
      let a = try SyncSession(store: devices.path("a"))
      try a.exchange()
      try attach(devices, "b", sharing: [])
      let b = try SyncSession(store: devices.path("b"))
      func expectEqual(_ rows: [String]) throws {
        for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
        for session in [a, b] {
          #expect(try session.rows(Self.rows) == rows)
          let number = rows.last?.prefix { $0 != "|" }
          let word = rows.last?.split(separator: "|")[1] ?? ""
          #expect(
            try session.rows("SELECT rowid FROM words WHERE words MATCH '\(word)'")
              == [number.map(String.init) ?? ""])
          #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        }
        #expect(try a.store.digest().total == b.store.digest().total)
      }
      try expectEqual(["1|one|first", "2|two|second"])
      try foreign(
        a.store.path,
        """
        INSERT INTO words (title, body) VALUES ('three', 'third');
        UPDATE words SET title = 'uno' WHERE rowid = 1;
        DELETE FROM words WHERE rowid = 2
        """)
      try expectEqual(["1|uno|first", "3|three|third"])
      try b.execute("INSERT INTO words (rowid, title, body) VALUES (9, 'nine', NULL)")
      try foreign(
        b.store.path, "INSERT OR REPLACE INTO words (rowid, title, body) VALUES (1, 'eins', 'x')")
      try expectEqual(["1|eins|x", "3|three|third", "9|nine|null"])
      // The older modules know the number by that name alone.
      let number = module == "fts5" ? "rowid" : "docid"
      try foreign(b.store.path, "UPDATE words SET \(number) = 20 WHERE rowid = 9")
      try a.execute("DELETE FROM words WHERE rowid = 1")
      try expectEqual(["3|three|third", "20|nine|null"])
    }
  }

  @Test func `rows that two devices give one number are both found, and a rebuild keeps them`()
    throws
  {
    try withDatabase("CREATE VIRTUAL TABLE words USING fts5(title, body)") { devices in
      try attach(devices, "a", sharing: ["words"])
      let a = try SyncSession(store: devices.path("a"))
      try a.exchange()
      try attach(devices, "b", sharing: ["words"])
      let b = try SyncSession(store: devices.path("b"))
      try foreign(a.store.path, "INSERT INTO words (title, body) VALUES ('here', 'a')")
      try foreign(b.store.path, "INSERT INTO words (title, body) VALUES ('there', 'b')")
      for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
      let rows = try a.rows("SELECT title, body FROM words ORDER BY title")
      #expect(rows == ["here|a", "there|b"])
      #expect(try a.rows(Self.rows) == b.rows(Self.rows))
      b.store.close()
      _ = try Engine.rebuild(store: devices.path("b"))
      let again = try SyncSession(store: devices.path("b"))
      #expect(try a.rows(Self.rows) == again.rows(Self.rows))
      #expect(try again.rows("SELECT body FROM words WHERE words MATCH 'there'") == ["b"])
    }
  }

  @Test(arguments: [
    ("words", "CREATE TABLE words (a)", "no full-text table"),
    ("words", "CREATE VIRTUAL TABLE words USING fts5(a, content='')", "keeps no texts"),
    (
      "words",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE VIRTUAL TABLE words USING fts5(a, content='t')",
      "those of t"
    ),
    (
      "words", "CREATE TABLE words_shared (a); CREATE VIRTUAL TABLE words USING fts5(a)",
      "has one of that name"
    ),
  ])
  func `what has no contents to share is refused, and nothing is changed`(
    name: String, script: String, reason: String
  ) throws {
    try withDatabase("\(script); CREATE TABLE other (id INTEGER PRIMARY KEY)") { devices in
      let refusal = #expect(throws: StoreError.self) { try attach(devices, "a", sharing: [name]) }
      #expect(refusal?.message.contains(reason) == true)
      let report = try attach(devices, "a", sharing: [name], isRehearsal: true)
      #expect(report.refusals.contains { $0.message.contains(reason) })
      #expect(try !LocalStore.isAttached(at: devices.path("a")))
    }
  }

  @Test func `attach suggests it, and refuses it when it is too late`() throws {
    try withDatabase(
      "CREATE VIRTUAL TABLE words USING fts5(title); CREATE TABLE t (id INTEGER PRIMARY KEY)"
    ) {
      devices in
      let report = try attach(devices, "a", sharing: [], isRehearsal: true)
      #expect(report.notes.contains { $0.text.contains("--share-contents words") })
      let shared = try attach(devices, "a", sharing: ["words"], isRehearsal: true)
      #expect(shared.refusals.isEmpty)
      try attach(devices, "a", sharing: [])
      let refusal = #expect(throws: (any Error).self) {
        try attach(devices, "a", sharing: ["words"])
      }
      #expect("\(refusal.map { "\($0)" } ?? "")".contains("`shareContents` words"))
    }
  }
}
