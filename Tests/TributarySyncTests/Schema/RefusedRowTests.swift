import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Rows that a trigger of the importing device does not allow: for a while, or until their author changes them.
struct RefusedRowTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER, w)"

  /// A device whose trigger allows no negative numbers, and one that has no such trigger.
  private func withTwoVersions(
    _ body: (SyncDevices, _ new: SyncSession, _ old: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table + ";" + RefusingTrigger.script("t"))
      let b = try devices.open("b", Self.table)
      try exchange(a, b)
      try body(devices, a, b)
    }
  }

  @Test func `a device gets everything but what a trigger does not allow`() throws {
    try withTwoVersions { _, a, b in
      try b.execute("INSERT INTO t (k, n) VALUES (10, 10)")
      try b.execute("INSERT INTO t (k, n) VALUES (11, -11), (12, 12)")
      try b.execute("UPDATE t SET w = 'x' WHERE k = 11")
      try b.exchange()
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(try report.waiting.map(\.peer) == [b.store.identity().peer])
      #expect(report.waiting.map(\.sequence.rawValue) == [2])
      #expect("\(report.waiting)".contains(RefusingTrigger.message))
      #expect(try a.rows("SELECT k, n FROM t") == ["10|10"])
      // Its author changes the row, and all of it arrives.
      try b.execute("UPDATE t SET n = 11 WHERE k = 11")
      try expectEqualAfterExchange(b, a)
      #expect(try a.rows("SELECT count(*), min(n) FROM t") == ["3|10"])
    }
  }

  @Test func `of many transactions that a trigger does not allow, the first is named`() throws {
    try withTwoVersions { devices, a, b in
      for number in 0..<30 {
        try b.execute("INSERT INTO t (k, n) VALUES (\(100 + number), 1)")
      }
      for number in 0..<30 {
        try b.execute("UPDATE t SET n = -1, w = '\(number)' WHERE k = \(100 + number % 3)")
        try a.execute("INSERT INTO t (k, n) VALUES (\(200 + number), 2)")
      }
      try a.exchange()
      try b.exchange()
      let report = try a.synchronize()
      #expect(report.waiting.count == 1)
      let first = try #require(report.waiting.first)
      #expect((20...31).contains(first.sequence.rawValue), "\(first)")
      let new = try devices.open("new", Self.table + ";" + RefusingTrigger.script("t"))
      _ = try new.synchronize()
      #expect(try new.rows("SELECT count(*) FROM t WHERE k >= 200") == ["30"])
      #expect(try new.store.digest().total == a.store.digest().total)
      try b.execute("UPDATE t SET n = 3 WHERE n < 0")
      for session in [b, a, new] { try session.exchange() }
      #expect(try new.rows("SELECT count(*), min(n) FROM t") == ["60|1"])
      #expect(try new.store.digest().total == a.store.digest().total)
    }
  }

  @Test func `what mends a row may come much later`() throws {
    try withTwoVersions { _, a, b in
      try b.execute("INSERT INTO t (k, n) VALUES (1, -1)")
      for number in 2...40 {
        try b.execute("INSERT INTO t VALUES (\(number), 1, zeroblob(1000000))")
      }
      try b.execute("UPDATE t SET n = 1 WHERE n < 0")
      try b.exchange()
      #expect(try a.synchronize().waiting.isEmpty)
      #expect(try a.store.digest().total == b.store.digest().total)
    }
  }
}
