import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that other programs write with NULL in their key.
struct NullKeyTests {
  @Test func `a row with NULL in its key is named, and harms no other`() throws {
    let script = """
      CREATE TABLE logs (jail TEXT, path TEXT, m, UNIQUE (jail, path));
      INSERT INTO logs VALUES ('a', 'b', 1);
      """
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", script)
      try a.exchange()
      let b = try programs.devices.open("b")
      try exchange(a, b)
      try programs.write("INSERT INTO logs VALUES ('r', NULL, 2), ('s', 't', 3)", to: a)
      let said =
        "a row of table logs has NULL in the UNIQUE key by which its rows are known: it is not replicated"
      #expect(try a.synchronize().keyless.map(\.message) == [said])
      try programs.write("UPDATE logs SET m = 5 WHERE jail = 'r'", to: a)
      #expect(try a.synchronize().keyless.map(\.message) == [said])
      for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
      #expect(try b.rows("SELECT jail FROM logs ORDER BY 1") == ["a", "s"])
      #expect(try Engine.verify(store: a.store.path).differenceCount == 1)
      let findings = try Engine.diagnose(store: a.store.path).filter { $0.code == .table }
      #expect(findings.map(\.severity) == [.warning])
      #expect(
        findings.first?.explanation.contains("a row of table logs has NULL in the UNIQUE key")
          ?? false)
      try programs.write("UPDATE logs SET path = 'now' WHERE jail = 'r'", to: a)
      try expectEqualAfterExchange(a, b)
      #expect(try Engine.verify(store: a.store.path).differences.isEmpty)
      #expect(try b.rows("SELECT count(*) FROM logs") == ["3"])
      #expect(try a.synchronize().keyless == [])
      #expect(try Engine.diagnose(store: a.store.path).filter { $0.severity != .note } == [])
    }
  }

  /// Two stores with two rows, and what writes into `a` and cannot be known.
  private func withRows(
    capture: CaptureMethod,
    _ body: (SyncSession, SyncSession, (String) throws -> Void) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let script = "CREATE TABLE n (k TEXT PRIMARY KEY, v)"
      let a = try devices.open("a", script, capture: capture)
      let b = try devices.open("b", capture: capture)
      try a.execute("INSERT INTO n VALUES ('y', 1), ('z', 2)")
      try exchange(a, b)
      try body(a, b) { sql in
        let connection = try Connection(path: a.store.path, mode: .readWrite)
        defer { connection.close() }
        try connection.execute(sql)
      }
    }
  }

  @Test(arguments: [CaptureMethod.triggers, .hook])
  func `a row whose key becomes NULL is told as long as it has none, and deleted nowhere`(
    capture: CaptureMethod
  ) throws {
    try withRows(capture: capture) { a, b, write in
      try write("UPDATE n SET k = NULL WHERE k = 'z'")
      let said = "a row of table n has NULL in its primary key: it is not replicated"
      for _ in 0..<3 {
        #expect(try a.synchronize().keyless.map(\.message) == [said])
        try b.exchange()
        #expect(try b.rows("SELECT k, v FROM n ORDER BY k") == ["y|1", "z|2"])
        #expect(try a.status().findings.contains { $0.hasPrefix(said) })
      }
      // Deletions that have nothing to do with it travel.
      try a.execute("DELETE FROM n WHERE k = 'y'")
      try write("UPDATE n SET k = 'new' WHERE k IS NULL")
      for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
      #expect(try a.synchronize().keyless == [])
      for session in [a, b] { #expect(try session.rows("SELECT k, v FROM n") == ["new|2"]) }
      for session in [a, b] {
        #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
      }
      // Without triggers, doctor recommends them.
      if capture == .triggers {
        #expect(try Engine.diagnose(store: a.store.path).filter { $0.severity != .note } == [])
      }
    }
  }

  @Test(arguments: [CaptureMethod.triggers, .hook])
  func `a row without a key that is deleted is deleted everywhere then`(
    capture: CaptureMethod
  ) throws {
    try withRows(capture: capture) { a, b, write in
      try write("UPDATE n SET k = NULL WHERE k = 'z'")
      for session in [a, b] { try session.exchange() }
      #expect(try b.rows("SELECT k FROM n ORDER BY k") == ["y", "z"])
      try write("DELETE FROM n WHERE k IS NULL")
      for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
      for session in [a, b] { #expect(try session.rows("SELECT k FROM n") == ["y"]) }
    }
  }

  @Test(arguments: [CaptureMethod.triggers, .hook])
  func `another device may write the row meanwhile, and nobody loses anything`(
    capture: CaptureMethod
  ) throws {
    try withRows(capture: capture) { a, b, write in
      try write("UPDATE n SET k = NULL WHERE k = 'z'")
      try a.exchange()
      try b.execute("UPDATE n SET v = 3 WHERE k = 'z'; INSERT INTO n VALUES ('x', 0)")
      for session in [b, a, b] { try session.exchange() }
      #expect(try b.rows("SELECT k, v FROM n ORDER BY k") == ["x|0", "y|1", "z|3"])
      #expect(try a.rows("SELECT v FROM n WHERE k IS NULL") == ["2"])
      #expect(try a.rows("SELECT v FROM n WHERE k = 'x'") == ["0"])
      try write("UPDATE n SET k = 'w' WHERE k IS NULL")
      for _ in 0..<2 { for session in [a, b] { try session.exchange() } }
      #expect(try b.rows("SELECT v FROM n WHERE k = 'w'") == ["2"])
      #expect(try a.store.digest().total == b.store.digest().total)
    }
  }
}
