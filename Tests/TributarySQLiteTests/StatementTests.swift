import Testing
import TributaryCore
import TributarySQLite

struct StatementTests {
  static let values: [Value] = [
    .null, 0, 1, -1, .integer(.max), .integer(.min), 0.5, .real(-0.0), .real(.infinity),
    .real(.leastNonzeroMagnitude), "", "text", .text([0]), .text([97, 0, 98]), .text([0xff, 0xfe]),
    .blob([]), .blob([0]), .blob(Array(0...255)),
  ]

  @Test(arguments: values)
  func `a value comes back as it was bound, to the byte`(value: Value) throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    try connection.execute("CREATE TABLE t (x)")
    try connection.cached("INSERT INTO t VALUES (?)").run(value)
    let statement = try connection.prepare("SELECT x FROM t")
    #expect(try statement.step())
    #expect(statement.value(0) == value)
  }

  @Test
  func `too few and too many parameters are refused`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let statement = try connection.prepare("SELECT ?, ?")
    #expect(throws: SQLiteError.self) { try statement.bind([1]) }
    #expect(throws: SQLiteError.self) { try statement.bind([1, 2, 3]) }
    try statement.bind([1, 2])
  }

  @Test
  func `preparing wants one statement, no more and no less`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    for sql in ["", "-- nothing", "SELECT 1; SELECT 2"] {
      #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
    }
    #expect(try connection.prepare("SELECT 1; -- and no more").step())
  }

  @Test
  func `a cached statement in the middle of its rows is not handed out again`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let sql = "SELECT 1 UNION ALL SELECT 2"
    let first = try connection.cached(sql)
    #expect(try first.step())
    #expect(try connection.cached(sql) !== first)
    first.reset()
    #expect(try connection.cached(sql) === first)
  }

  @Test
  func `of too many statements the one used longest ago goes, and stays valid for its holder`()
    throws
  {
    let connection = try Connection(path: ":memory:", mode: .create)
    let first = try connection.cached("SELECT 1")
    let second = try connection.cached("SELECT 2")
    for number in 3...256 { _ = try connection.cached("SELECT \(number)") }
    #expect(try connection.cached("SELECT 1") === first)
    _ = try connection.cached("SELECT 257")
    #expect(try connection.cached("SELECT 1") === first)
    #expect(try connection.cached("SELECT 2") !== second)
    #expect(try second.step())
    #expect(second.integer(0) == 2)
  }

  @Test
  func `texts that look alike and have other bytes are other statements`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let composed = "SELECT '\u{e9}'"
    let decomposed = "SELECT 'e\u{301}'"
    #expect(try connection.cached(composed) !== connection.cached(decomposed))
    #expect(try connection.lend(composed) !== connection.lend(decomposed))
  }

  @Test
  func `a lent statement is nobody else's, and comes back without its parameters`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let sql = "SELECT ?"
    let first = try connection.lend(sql)
    let second = try connection.lend(sql)
    #expect(first !== second)
    #expect(try connection.cached(sql) !== first)
    try first.bind(["secret"])
    connection.giveBack(first)
    let third = try connection.lend(sql)
    #expect(third === first)
    #expect(try third.step())
    #expect(third.value(0) == .null)
  }

  @Test(arguments: [Int.min, -1, 0, 3, .max])
  func `a parameter that there is not is refused with its number`(index: Int) throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let statement = try connection.prepare("SELECT ?, ?")
    for value in StatementTests.values {
      let error = try #require(throws: SQLiteError.self) { try statement.bind(value, at: index) }
      #expect(error.message == "there is no parameter \(index): the statement has 2")
    }
  }

  @Test(arguments: [Int.min, -1, 2, .max])
  func `a column that there is not is NULL`(column: Int) throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let statement = try connection.prepare("SELECT 1, 2")
    #expect(try statement.step())
    #expect(statement.value(column) == .null)
    #expect(statement.bytes(column).isEmpty)
    #expect(statement.string(column) == "")
  }

  @Test
  func `a closed connection refuses what comes later`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    connection.close()
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.cached("SELECT 1") }
  }

  @Test(arguments: [
    ("BEGIN", StatementKind.begin), ("BEGIN IMMEDIATE", .begin), ("COMMIT", .commit),
    ("END", .commit), ("ROLLBACK", .rollback), ("SAVEPOINT a", .savepoint("a")),
    ("RELEASE A", .release("a")), ("ROLLBACK TO \"A\"", .rollbackTo("a")), ("SELECT 1", .ordinary),
    ("CREATE TABLE x (y)", .schema), ("ALTER TABLE t ADD COLUMN z", .schema),
    ("CREATE INDEX i ON t (x)", .schema), ("DROP TABLE t", .schema),
    ("INSERT INTO t VALUES ('BEGIN')", .ordinary),
  ])
  func `a statement knows what it does beside rows`(sql: String, kind: StatementKind) throws {
    let connection = try Connection(path: ":memory:", mode: .create, classifies: true)
    try connection.execute("CREATE TABLE t (x)")
    #expect(try connection.prepare(sql).kind == kind)
  }

  @Test
  func `a name in quotes may hold quotes`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let name = "a \"b\" 'c' ü"
    try connection.execute("CREATE TABLE \(name.quotedIdentifier) (x)")
    let found = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = \(name.quotedLiteral)")
    #expect(found == 1)
  }
}
