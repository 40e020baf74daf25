import Testing
import TributaryCore
import TributarySQLite
import TributaryTesting

struct ConnectionTests {
  @Test
  func `an error names the file, the statement and what SQLite says`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.execute("CREATE TABLE t (x UNIQUE, y NOT NULL); INSERT INTO t VALUES (1, 1)")
    let error = try #require(throws: SQLiteError.self) {
      try connection.cached("INSERT INTO t VALUES (1, 2)").run()
    }
    #expect(error.isUniqueViolation && error.isConstraintViolation)
    for part in [":memory:", "t.x", "INSERT INTO t VALUES (1, 2)"] {
      #expect(error.description.contains(part))
    }
    let other = try #require(throws: SQLiteError.self) {
      try connection.cached("INSERT INTO t VALUES (2, NULL)").run()
    }
    #expect(!other.isUniqueViolation && other.isConstraintViolation)
  }

  @Test
  func `what a body throws rolls its transaction back`() throws {
    struct Stop: Error {}
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.execute("CREATE TABLE t (x)")
    #expect(throws: Stop.self) {
      try connection.immediate {
        try connection.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  @Test
  func `the version changes with every commit, of this connection or another`() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/a.sqlite"
      let one = try Connection(path: path, mode: .create)
      try one.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
      let two = try Connection(path: path, mode: .readWrite)
      func version() throws -> UInt32 {
        try one.snapshot {
          _ = try one.integer("SELECT count(*) FROM t")
          return one.dataVersion
        }
      }
      let first = try version()
      #expect(try version() == first)
      try two.execute("INSERT INTO t VALUES (1)")
      let second = try version()
      #expect(second != first)
      try one.execute("INSERT INTO t VALUES (2)")
      #expect(try version() != second)
    }
  }

  @Test
  func `a missing file is opened only to be made`() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/none.sqlite"
      #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readWrite) }
      _ = try Connection(path: path, mode: .create)
    }
  }

  @Test(arguments: [
    "INSERT INTO tributary_x VALUES (1)", "UPDATE tributary_x SET y = 1",
    "DELETE FROM TRIBUTARY_X", "DROP TABLE tributary_x", "ALTER TABLE tributary_x ADD COLUMN z",
    "CREATE INDEX i ON tributary_x (y)",
  ])
  func `bookkeeping is protected from the application's statements`(sql: String) throws {
    let connection = try Connection(path: ":memory:", mode: .create, classifies: true)
    try connection.execute("CREATE TABLE tributary_x (y)")
    connection.classifier?.protectsBookkeeping = true
    let error = try #require(throws: SQLiteError.self) { try connection.prepare(sql) }
    #expect(error.message.contains("may not be changed"))
    #expect(throws: Never.self) { try connection.prepare("SELECT * FROM tributary_x") }
  }
}
