import Testing
import TributarySQLite
import TributaryTesting

/// What a connection reads once for each commit.
struct RememberedTests {
  /// What is remembered here.
  private struct Sum: Sendable, Equatable { var value: Int64? }

  /// The connection under test, and how often it has read.
  private final class Reader {
    let connection: Connection
    var readCount = 0

    init(_ path: String) throws { connection = try Connection(path: path, mode: .create) }

    func sum() throws -> Int64? {
      try connection.remembered {
        readCount += 1
        return Sum(value: try connection.integer("SELECT sum(x) FROM t"))
      }.value
    }
  }

  private func withTable(
    _ mode: String = "wal", _ body: (Reader, Connection) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/a.db"
      let other = try Connection(path: path, mode: .create)
      try other.execute("PRAGMA journal_mode = \(mode); CREATE TABLE t (x)")
      try body(Reader(path), other)
    }
  }

  @Test(arguments: ["wal", "delete"])
  func `a value is read again after a commit of any connection, and only then`(mode: String) throws
  {
    try withTable(mode) { reader, other in
      #expect(try reader.sum() == nil && reader.sum() == nil)
      #expect(reader.readCount == 1)
      try other.execute("INSERT INTO t VALUES (1)")
      #expect(try reader.sum() == 1 && reader.sum() == 1)
      #expect(reader.readCount == 2)
      try reader.connection.execute("INSERT INTO t VALUES (2)")
      #expect(try reader.sum() == 3 && reader.sum() == 3)
      #expect(reader.readCount == 3)
    }
  }

  @Test func `in a transaction the value is that of its snapshot`() throws {
    try withTable { reader, other in
      try reader.connection.execute("BEGIN")
      #expect(try reader.sum() == nil)
      try other.execute("INSERT INTO t VALUES (1)")
      #expect(try reader.sum() == nil)
      #expect(reader.readCount == 1)
      try reader.connection.execute("COMMIT")
      #expect(try reader.sum() == 1)
    }
  }

  @Test func `what is rolled back is not remembered`() throws {
    try withTable { reader, _ in
      #expect(try reader.sum() == nil)
      for end in ["ROLLBACK", "ROLLBACK TO s; COMMIT"] {
        try reader.connection.execute("BEGIN; SAVEPOINT s; INSERT INTO t VALUES (5)")
        let within = try reader.sum()
        try reader.connection.execute(end)
        let after = try reader.sum()
        #expect(within == 5 && after == nil, "\(end)")
      }
    }
  }

  @Test func `a failed reading is not remembered, and types are distinguished`() throws {
    struct Stop: Error {}
    try withTable { reader, _ in
      #expect(throws: Stop.self) {
        let sum: Sum = try reader.connection.remembered { throw Stop() }
        return sum
      }
      #expect(try reader.sum() == nil)
      let text = try reader.connection.remembered { "text" }
      #expect(try text == "text" && reader.sum() == nil)
      #expect(reader.readCount == 1)
    }
  }
}
