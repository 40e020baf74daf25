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
      #expect(try a.synchronize().keyless == [])
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
    }
  }
}
