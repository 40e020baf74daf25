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
  func `a copy is whole, or says why there is none`() throws {
    struct Stop: Error {}
    try withTemporaryDirectory { directory in
      let source = try Connection(
        path: directory + "/source", mode: .create, busyMilliseconds: 0)
      try source.execute(
        """
        CREATE TABLE t (x);
        INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        SELECT zeroblob(4000) FROM n
        """)
      func copy(_ name: String) throws -> Connection {
        try Connection(path: "\(directory)/\(name)", mode: .create, busyMilliseconds: 0)
      }
      let count = "SELECT count(*) FROM t"
      let (whole, parts) = (try copy("whole"), try copy("parts"))
      try whole.replaceContents(with: source)
      #expect(try whole.integer(count) == 3000)
      var steps: [Int] = []
      try parts.replaceContents(with: source) { done, total in
        steps.append(done)
        #expect(total > 2900)
      }
      #expect(steps == [1000, 2000, 3000])
      #expect(try parts.integer(count) == 3000 && !source.isInTransaction)
      // Whatever ends it leaves what was there before.
      try source.execute("DELETE FROM t; INSERT INTO t VALUES (1); PRAGMA user_version = 1")
      try whole.replaceContents(with: source)
      let large = parts
      #expect(throws: Stop.self) {
        try whole.replaceContents(with: large) { _, _ in throw Stop() }
      }
      #expect(try whole.integer(count) == 1)
      // A lock, too.
      let other = try Connection(path: directory + "/source", mode: .readWrite)
      try other.execute("BEGIN EXCLUSIVE")
      #expect(throws: SQLiteError.self) { try parts.replaceContents(with: source) }
      #expect(throws: SQLiteError.self) { try parts.replaceContents(with: source) { _, _ in } }
      #expect(try parts.integer(count) == 3000)
      try other.execute("COMMIT")
      try parts.replaceContents(with: source)
      #expect(try parts.integer(count) == 1)
    }
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
