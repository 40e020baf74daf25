import Testing
import TributaryCore
import TributaryReplay
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables of one name whose rows are numbered on one device and not on the other: of two rows that get one number, the one
/// would keep both and the other one.
struct KeyNumberingTests {
  private static let script = "CREATE TABLE o (k TEXT PRIMARY KEY)"
  private static let numbered = "(a INTEGER PRIMARY KEY, x)"

  /// What makes the table on the device that does not number its rows.
  private static let others = [
    "(a INT PRIMARY KEY, x)", "(a INTEGER PRIMARY KEY, x) WITHOUT ROWID",
  ]

  private func reasons(_ waiting: [Waiting]) -> [String] {
    waiting.compactMap { if case .schema(let refusal) = $0.reason { "\(refusal)" } else { nil } }
  }

  /// Devices `a` and `c` that number the rows of a table, and `b` that does not; all have written a row of one number.
  private func withDevices(
    _ other: String, _ body: (SyncDevices, [SyncSession]) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let sessions = try ["a", "b", "c"].map { try devices.open($0, Self.script) }
      for (session, table) in zip(sessions, [Self.numbered, other, Self.numbered]) {
        let name = session.store.path.split(separator: "/").last?.prefix(1) ?? ""
        let table = "CREATE TABLE t \(table); INSERT INTO t VALUES (5, '\(name)')"
        let row = "INSERT INTO o VALUES ('\(name)')"
        if name == "b" {
          // Nothing of this device is imported before.
          try session.execute("\(row); \(table)")
        } else {
          try session.execute(row)
          try session.exchange()
          try session.execute(table)
        }
      }
      for _ in 0..<2 { for session in sessions { _ = try session.synchronize() } }
      try body(devices, sessions)
    }
  }

  @Test(arguments: others, KeyRemedy.allCases)
  func `what the other side writes of the table waits by name, and the remedy ends it`(
    other: String, remedy: KeyRemedy
  ) throws {
    try withDevices(other) { devices, sessions in
      let (a, c) = (sessions[0], sessions[2])
      var b = sessions[1]
      let sides = [
        "INTEGER PRIMARY KEY here, by which SQLite numbers rows, and a key of another declaration there",
        "a key of another declaration here, and INTEGER PRIMARY KEY there, by which SQLite numbers rows",
      ]
      for (session, side, count) in [(a, sides[0], 1), (b, sides[1], 2), (c, sides[0], 1)] {
        let report = try session.synchronize()
        let found = reasons(report.waiting)
        #expect(found.count == count)
        #expect(
          found.allSatisfy {
            $0.hasPrefix("table t has another key on the device that wrote this: \(side); ")
              && $0.contains("the table needs one key on all devices")
          }, "\(found)")
        #expect(report.delays.allSatisfy(\.needsHelp) && report.delays.count == 1)
        #expect(try reasons(session.status().waiting) == found)
        let findings = try Engine.diagnose(store: session.store.path)
        #expect(findings.count { $0.code == .schema && $0.explanation.contains(side) } == count)
        // What comes before it is there.
        #expect(
          try session.rows("SELECT k FROM o ORDER BY k")
            == (session === b ? ["a", "b", "c"] : ["a", "c"]))
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
      #expect(try b.rows("SELECT a, x FROM t") == ["5|b"])
      #expect(try a.rows("SELECT x FROM t ORDER BY x") == ["a", "c"])
      let rows = "SELECT a, x FROM t ORDER BY a"
      #expect(try a.rows(rows) == c.rows(rows))
      try remedy.follow(
        on: devices, a, &b, c, table: "t", of: Self.script, as: "CREATE TABLE t \(Self.numbered)")
      try expectEqualAfterExchange(a, b, c)
      #expect(try c.rows("SELECT k FROM o ORDER BY k") == ["a", "b", "c"])
      if remedy == .attaching {
        #expect(try b.rows("SELECT x FROM t ORDER BY x") == ["a", "c"])
      }
    }
  }

  @Test(arguments: others)
  func `what a device has written that is gone comes in, and is the same on all others`(
    other: String
  ) throws {
    try withDevices(other) { devices, sessions in
      sessions[1].store.close()
      _ = try Engine.detach(store: devices.path("b"), removeLogs: false)
      try expectEqualAfterExchange(sessions[0], sessions[2])
      for session in [sessions[0], sessions[2]] {
        #expect(try session.rows("SELECT x FROM t ORDER BY x") == ["a", "b", "c"])
      }
    }
  }

  @Test func `a new device takes what those have written that have its key`() throws {
    try withDevices(Self.others[0]) { devices, sessions in
      try Connection(path: devices.path("d"), mode: .create)
        .execute("\(Self.script); CREATE TABLE t (a INTEGER NOT NULL PRIMARY KEY, x)")
      let report = try devices.attach("d")
      #expect(reasons(report.waiting).count == 1)
      let d = try SyncSession(store: devices.path("d"))
      #expect(try d.rows("SELECT x FROM t ORDER BY x") == ["a", "c"])
    }
  }

  @Test func `a table that migrations have renamed is compared under both names`() throws {
    try withDevices(Self.others[0]) { devices, sessions in
      let migrations = [
        Migration(name: "1", sql: Self.script),
        Migration(name: "2", sql: "-- tributary: rename t to u\nALTER TABLE t RENAME TO u"),
      ]
      try sessions[0].store.migrate(migrations)
      try sessions[0].execute("INSERT INTO u VALUES (6, 'new')")
      for session in sessions { _ = try session.synchronize() }
      #expect(try reasons(sessions[1].synchronize().waiting).count == 2)
      #expect(try sessions[1].rows("SELECT a, x FROM t") == ["5|b"])
      try sessions[1].execute("INSERT INTO t VALUES (6, 'b')")
      for session in sessions { _ = try session.synchronize() }
      let waiting = try reasons(sessions[0].synchronize().waiting)
      #expect(waiting.count == 1 && waiting[0].hasPrefix("table u has another key"), "\(waiting)")
      #expect(try sessions[2].rows("SELECT x FROM t ORDER BY x") == ["a", "c", "new"])
    }
  }
}
