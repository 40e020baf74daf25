import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Conflicts of rows that are the same as others, and of the numbers that these rows had.
struct IdentifiedConflictTests {
  @Test func `what a joining database says of a number has lost when the row leaves the number`()
    throws
  {
    try withDevices(["a", "b"], Library.script, Library.merge) { devices, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try b.execute("INSERT INTO artist VALUES (2, 'miles', NULL)")
      try a.execute("INSERT INTO artist VALUES (4, 'Miles', 1900)")
      try a.exchange()
      let other = try Connection(path: devices.path("c"), mode: .create)
      try other.execute(Library.script + "; INSERT INTO artist VALUES (4, 'Miles', 1926)")
      other.close()
      #expect(try devices.attach("c").outcome == .joined(added: 0))
      let c = try SyncSession(store: devices.path("c"))
      try a.execute("UPDATE artist SET born = 1926 WHERE id = 4")
      try expectEqualAfterExchange(a, c)
      #expect(try a.conflicts() == [])
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(try session.rows("SELECT id, name, born FROM artist") == ["2|Miles|1926"])
        let conflict = try #require(try session.conflicts().first { $0.key == [.integer(4)] })
        #expect(conflict.kind == .delete && conflict.values.map(\.column) == ["born"])
      }
    }
  }

  @Test func `what joined under a number that its row leaves in the same import has lost`() throws {
    try withDevices(["c", "a", "b"], Library.script, Library.merge) { devices, sessions in
      let (c, a, b) = (sessions[0], sessions[1], sessions[2])
      try a.execute("INSERT INTO artist VALUES (1, 'Joni', NULL)")
      try b.execute("INSERT INTO artist VALUES (6, 'joni', NULL)")
      try b.exchange()
      try c.exchange()
      let other = try Connection(path: devices.path("d"), mode: .create)
      try other.execute(Library.script + "; INSERT INTO artist VALUES (6, 'joni', 1943)")
      other.close()
      #expect(try devices.attach("d").outcome == .joined(added: 0))
      let d = try SyncSession(store: devices.path("d"))
      try d.exchange()
      try a.exchange()
      // Here the row leaves its number in the same import.
      try expectEqualAfterExchange(c, a, b, d)
      #expect(
        try Set(c.conflicts().map { "\($0.kind) \($0.key[0]) \($0.values.map(\.column))" })
          == [
            "insert \(Value.integer(1)) [\"name\"]", "delete \(Value.integer(6)) [\"born\"]",
          ])
    }
  }

  @Test
  func
    `a value that a transaction takes from a row under one number and gives it under another stays`()
    throws
  {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, tag TEXT UNIQUE)"
    let merge = MergeOptions(tables: ["t": TableMerge(identifyingColumns: ["name"])])
    try withDevices(["a", "b", "c"], table, merge) { _, sessions in
      let (a, b, c) = (sessions[0], sessions[1], sessions[2])
      try b.execute("INSERT INTO t VALUES (3, 'old', 'o')")
      try exchange(a, b, c)
      try a.execute("DELETE FROM t WHERE id = 3")
      try a.execute("INSERT INTO t VALUES (3, 'x', 't')")
      try b.execute("INSERT INTO t VALUES (5, 'x', 't')")
      try b.execute(
        "UPDATE t SET tag = NULL WHERE id = 5; UPDATE t SET tag = 't' WHERE id = 3")
      try c.execute("INSERT INTO t VALUES (9, 'y', 't')")
      try expectEqualAfterExchange(a, b, c)
      for session in [a, b, c] {
        #expect(try session.rows("SELECT id, name, tag FROM t") == ["3|x|t"])
        // The row has had its tag since it was inserted.
        let held = try #require(try session.conflicts().first(where: \.isHeld))
        #expect(held.key == [.integer(9)] && held.winner.peer == a.store.peer)
      }
    }
  }

  @Test func `two inserts of a transaction that turn out to be of one row apply in their order`()
    throws
  {
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, note TEXT)"
    let merge = MergeOptions(tables: ["t": TableMerge(identifyingColumns: ["name"])])
    try withDevices(["a", "b"], table, merge) { _, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try a.execute("INSERT INTO t VALUES (1, 'x', 'former')")
      try a.execute("DELETE FROM t WHERE id = 1")
      try a.execute("INSERT INTO t VALUES (1, 'y', 'present')")
      try b.execute("INSERT INTO t VALUES (1, 'x', 'first'), (2, 'y', 'second')")
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM t") == ["1|y|second"])
      }
    }
  }

  @Test func `what had the number before a row that is another one has its conflicts again`() throws
  {
    try withDevices(["a", "b"], Library.script, Library.merge) { _, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try a.execute("INSERT INTO artist VALUES (1, 'Nobody', NULL)")
      try exchange(a, b)
      try a.execute("UPDATE artist SET born = 5 WHERE id = 1")
      try b.execute("DELETE FROM artist WHERE id = 1")
      try exchange(a, b)
      #expect(try b.conflicts().map(\.kind) == [.delete])
      try a.execute("INSERT INTO artist VALUES (2, 'Miles', NULL)")
      try b.execute("INSERT INTO artist VALUES (1, 'Miles', NULL)")
      #expect(try b.conflicts() == [])
      try expectEqualAfterExchange(a, b)
      #expect(try b.rows("SELECT id, name FROM artist") == ["2|Miles"])
      #expect(try b.conflicts().map(\.kind) == [.delete])
    }
  }

  @Test(arguments: [
    "DELETE FROM artist WHERE id = 1; INSERT INTO artist VALUES (5, 'Miles', 1926)",
    "UPDATE artist SET born = 7 WHERE id = 1; INSERT INTO artist VALUES (5, 'Miles', 1926)",
    "INSERT INTO artist VALUES (5, 'Miles', 1926); UPDATE artist SET born = 7 WHERE id = 1",
    "INSERT INTO artist VALUES (5, 'Miles', 1926); DELETE FROM artist WHERE id = 1",
  ])
  func `an insert comes last where a transaction also wrote the row that had the number`(
    sql: String
  ) throws {
    try withDevices(["a", "b"], Library.script, Library.merge) { _, sessions in
      let (a, b) = (sessions[0], sessions[1])
      try a.execute("INSERT INTO artist VALUES (1, 'Nobody', NULL)")
      try exchange(a, b)
      try a.execute("DELETE FROM artist WHERE id = 1")
      try a.execute("INSERT INTO artist VALUES (1, 'Miles', NULL)")
      try b.execute(sql)
      try expectEqualAfterExchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT id, name, born FROM artist") == ["1|Miles|1926"])
      }
    }
  }
}
