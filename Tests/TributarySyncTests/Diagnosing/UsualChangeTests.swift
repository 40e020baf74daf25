import Testing
import TributarySync
import TributaryTesting

/// What doctor says of what other programs did with tables, after it is recorded.
struct UsualChangeTests {
  /// Runs a script as a program does, and returns the severities of what is said of it afterwards.
  private func severities(after script: String) throws -> [Finding.Severity] {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let a = try programs.open("a", "CREATE TABLE t (k TEXT PRIMARY KEY, v)")
      try a.execute("INSERT INTO t VALUES ('x', 1), ('y', 2)")
      try a.exchange()
      try programs.write(script, to: a)
      #expect(try a.synchronize().uncaptured != nil)
      try a.exchange()
      return try Engine.diagnose(store: a.store.path).filter { $0.code == .foreignWrites }
        .map(\.severity)
    }
  }

  @Test(arguments: [
    "ALTER TABLE t ADD COLUMN w; UPDATE t SET w = 1",
    """
    CREATE TABLE new (k TEXT PRIMARY KEY, v); INSERT INTO new SELECT * FROM t; DROP TABLE t;
    ALTER TABLE new RENAME TO t; UPDATE t SET v = 5
    """,
    "CREATE TABLE u (k TEXT PRIMARY KEY); INSERT INTO u VALUES ('x')",
  ])
  func `what new versions of programs do is a note`(script: String) throws {
    #expect(try severities(after: script) == [.note])
  }

  @Test func `that triggers were dropped is a warning`() throws {
    let script = "DROP TRIGGER tributary_capture_update_t; UPDATE t SET v = 5"
    #expect(try severities(after: script) == [.warning])
  }
}
