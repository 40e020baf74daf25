import Testing
import Tributary

/// CHECK and NOT NULL hold whatever is merged.
struct CheckTests {
  @Test func `a CHECK over two columns holds when each device changes another of them`()
    async throws
  {
    let schema = """
      CREATE TABLE span (
        id TEXT PRIMARY KEY NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, CHECK (low <= high))
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO span VALUES ('s', 1, 5)")
      try settle(a, b)
      // By column this would give 4 and 2.
      try a.execute("UPDATE span SET high = 2")
      try b.execute("UPDATE span SET low = 4")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM span") == ["s|4|5"])
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.loser.peer) == [a.peer])
        #expect(conflicts.flatMap { $0.values.map(\.column) }.contains("high"))
        #expect(throws: SQLiteError.self) { try store.execute("UPDATE span SET high = 3") }
      }
      #expect(try b.resolve(b.conflicts()[0], .restore))
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM span") == ["s|1|2"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `a CHECK of one column and NOT NULL leave each column to its own writer`()
    async throws
  {
    let schema = """
      CREATE TABLE album (
        id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, rating INTEGER CHECK (rating BETWEEN 0 AND 5))
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO album VALUES ('x', 'Blue', 1)")
      try settle(a, b)
      try a.execute("UPDATE album SET title = 'Hejira'")
      try b.execute("UPDATE album SET rating = 5")
      for refused in ["title = NULL", "rating = 6"] {
        #expect(throws: SQLiteError.self) { try b.execute("UPDATE album SET \(refused)") }
      }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["x|Hejira|5"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `a row that is inserted again beside an update is whole`() async throws {
    let schema = """
      CREATE TABLE album (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, year INTEGER NOT NULL)
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO album VALUES ('x', 'Blue', 1971)")
      try settle(a, b)
      try a.execute("DELETE FROM album; INSERT INTO album VALUES ('x', 'Mingus', 1979)")
      try b.execute("UPDATE album SET year = 1972")
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["x|Mingus|1972"])
      }
    }
  }
}
