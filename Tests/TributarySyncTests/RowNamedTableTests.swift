import Testing
import TributaryCore
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Tables that are called as triggers call rows.
struct RowNamedTableTests {
  @Test(arguments: ["new", "OLD"])
  func `what other programs write there is recorded as what it is`(name: String) throws {
    try withTemporaryDirectory { directory in
      let programs = try ForeignPrograms(in: directory)
      let script =
        "CREATE TABLE \(name) (a, b UNIQUE, c); INSERT INTO \(name) VALUES (1, 1, 1), (2, 2, 2)"
      let a = try programs.open("a", script)
      let b = try programs.devices.open("b")
      try exchange(a, b)
      try programs.write(
        """
        INSERT OR REPLACE INTO \(name) VALUES (3, 1, 3); UPDATE \(name) SET c = 4 WHERE b = 2;
        INSERT INTO \(name) VALUES (5, 5, 5)
        """, to: a)
      #expect(try a.recordForeignWrites().failure == nil)
      let last = try #require(try a.store.service { try Outbox($0).last()?.sequence })
      let record = try #require(try a.store.service { try RecordedTransaction(last, from: $0) })
      #expect(record.changes.count == 3, "\(record.changes)")
      try exchange(a, b)
      #expect(
        try b.rows("SELECT a, b, c FROM \(name) ORDER BY a") == ["2|2|4", "3|1|3", "5|5|5"])
      for session in [a, b] {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
