import Foundation
import Testing
import TributarySync
import TributaryTesting

/// Rows that were displaced from their number, and what was written of them there.
struct FreshNumberTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, n INTEGER)"

  /// Three devices of which each has added a row, one after the other by the clock too; the first and
  /// the last the same row.
  private func withRows(
    _ body: (_ first: SyncSession, _ second: SyncSession, _ third: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let sessions = try ["a", "b", "c"].map { try devices.open($0, Self.script) }
      for (session, name) in zip(sessions, ["same", "other", "same"]) {
        try session.execute("INSERT INTO t (name) VALUES ('\(name)')")
      }
      try body(sessions[0], sessions[1], sessions[2])
    }
  }

  @Test func `a write follows a row that gets its number back`() throws {
    try withRows { first, second, third in
      try exchange(second, third)
      #expect(try second.rows("SELECT name FROM t WHERE id = 1") == ["other"])
      try second.execute("UPDATE t SET n = 7 WHERE name = 'same'")
      try exchange(first, second, third)
      for session in [first, second, third] {
        #expect(try session.rows("SELECT name, n FROM t WHERE id = 1") == ["same|7"])
        #expect(try session.rows("SELECT name, id < 0 FROM t WHERE id <> 1") == ["other|1"])
        // The first device said NULL of it, and nobody has answered that.
        #expect(try session.conflicts().map(\.kind) == [.insert])
      }
    }
  }

  @Test func `a row that was deleted and comes back is the one that it was`() throws {
    try withRows { first, second, third in
      try exchange(second, third)
      let number = try third.rows("SELECT id FROM t WHERE name = 'same'")[0]
      try third.execute("DELETE FROM t WHERE id = \(number)")
      try third.execute("INSERT INTO t VALUES (\(number), 'again', 8)")
      try exchange(first, second, third)
      for session in [first, second, third] {
        #expect(try session.rows("SELECT name, n FROM t WHERE id = 1") == ["again|8"])
        #expect(try session.rows("SELECT count(*) FROM t") == ["2"])
      }
    }
  }
}
