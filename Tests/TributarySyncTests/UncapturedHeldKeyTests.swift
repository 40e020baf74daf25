import Testing
import TributaryCore
import TributarySQLite
import TributarySync
import TributaryTesting

/// Programs that write under the numbers of held rows, in stores without triggers.
struct UncapturedHeldKeyTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT UNIQUE)"

  @Test func `a row that is inserted under the number of a held one is found as another row`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try exchange(a, b)
      try a.execute("INSERT INTO t VALUES (1, 'same')")
      try b.execute("INSERT INTO t VALUES (2, 'same')")
      try exchange(a, b)
      #expect(try a.conflicts().filter(\.isHeld).map(\.key) == [[.integer(2)]])

      let program = try Connection(path: a.store.path, mode: .readWrite)
      try program.execute("INSERT INTO t VALUES (2, 'new')")
      program.close()
      #expect(try a.synchronize().uncaptured?.tables == ["t"])
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM t ORDER BY id") == ["1|same", "2|new"])
        #expect(try session.conflicts().map(\.isHeld) == [true])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test func `rows under the numbers of held ones are found, however many are held`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try exchange(a, b)
      func values(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { "(\($0), 'same \($0 % 10)')" }.joined(separator: ", ")
      }
      try a.execute("INSERT INTO t VALUES \(values(1...8))")
      try b.execute("INSERT INTO t VALUES \(values(11...18))")
      try exchange(a, b)
      #expect(try a.conflicts().count(where: \.isHeld) == 8)

      let program = try Connection(path: a.store.path, mode: .readWrite)
      try program.execute("INSERT INTO t VALUES (15, 'e'), (16, 'f'), (17, 'g'), (18, 'h')")
      program.close()
      #expect(try Engine.verify(store: a.store.path).differenceCount == 4)
      #expect(try a.synchronize().uncaptured?.rows == 4)
      try exchange(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT * FROM t WHERE id > 8 ORDER BY id")
            == ["15|e", "16|f", "17|g", "18|h"])
        #expect(try session.conflicts().count(where: \.isHeld) == 8)
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
