import Testing
import TributaryCore
import TributarySQLite
import TributarySync
import TributaryTesting

/// Programs that write, in stores without triggers, references that show NULL for want of a parent.
struct UncapturedReferenceTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE c (id INTEGER PRIMARY KEY, f INTEGER REFERENCES p (id) ON DELETE SET NULL)
    """

  @Test(arguments: [
    // Another parent; and the one that is not there, which a program can name that enforces no foreign keys.
    (2, "1|2", 0), (1, "1|null", 1),
  ])
  func `what is written there is found`(parent: Int, row: String, hidden: Int) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script)
      let b = try devices.open("b", Self.script)
      try a.execute("INSERT INTO p VALUES (1, 'one'), (2, 'two')")
      try exchange(a, b)
      try a.execute("DELETE FROM p WHERE id = 1")
      try b.execute("INSERT INTO c VALUES (1, 1)")
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM c") == ["1|null"])

      let program = try Connection(path: a.store.path, mode: .readWrite)
      try program.execute("UPDATE c SET f = \(parent)")
      program.close()
      #expect(try Engine.verify(store: a.store.path).differenceCount == 1)
      #expect(try a.synchronize().uncaptured?.tables == ["c"])
      try exchange(a, b)
      for session in [a, b] {
        #expect(try session.rows("SELECT * FROM c") == [row])
        #expect(try session.conflicts().count(where: { $0.kind == .foreignKey }) == hidden)
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
