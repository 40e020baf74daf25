import Testing
import Tributary
import TributaryTesting

struct ConstraintTests {
  @Test
  func `a clash over a unique key waits by name, the rest goes on, and a change resolves it`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      let c = try await devices.open("c")
      try a.execute("INSERT INTO album VALUES (1, 'Same', NULL)")
      try b.execute("INSERT INTO album VALUES (2, 'Same', NULL)")
      try c.execute("INSERT INTO album VALUES (3, 'Other', NULL)")
      try exchange(a, b, c)
      let report = try a.synchronizeNow()
      #expect(report.waiting.count == 1)
      #expect(report.waiting.first?.peer == b.peer)
      #expect(report.waiting.first?.description.contains("album.title") == true)
      #expect(try a.rows("SELECT id FROM album ORDER BY id") == ["1", "3"])
      #expect(try a.status().waiting == report.waiting)
      try b.execute("UPDATE album SET title = 'Different' WHERE id = 2")
      try exchange(a, b, c)
      try exchange(a, b, c)
      #expect(try a.rows("SELECT id FROM album ORDER BY id") == ["1", "2", "3"])
      #expect(try a.digest() == b.digest())
      #expect(try a.digest() == c.digest())
      #expect(try a.status().waiting.isEmpty)
    }
  }

  @Test
  func `unique values that two rows swap are no trouble`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute(
        "INSERT INTO album VALUES (1, 'One', NULL), (2, 'Two', NULL), (3, 'Three', NULL)")
      try exchange(a, b)
      try a.execute(
        """
        UPDATE album SET title = 'x' WHERE id = 1;
        UPDATE album SET title = 'One' WHERE id = 2;
        UPDATE album SET title = 'Two' WHERE id = 3;
        UPDATE album SET title = 'Three' WHERE id = 1
        """)
      try exchange(a, b)
      #expect(try b.rows("SELECT title FROM album ORDER BY id") == ["Three", "One", "Two"])
      #expect(try a.digest() == b.digest())
    }
  }

  @Test
  func `a child whose parent was deleted meanwhile waits, and comes when the parent is back`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', NULL)")
      try exchange(a, b)
      try a.execute("DELETE FROM album WHERE id = 1")
      try b.execute("INSERT INTO track VALUES (10, 1, 'All I Want')")
      try exchange(a, b)
      let report = try a.synchronizeNow()
      #expect(report.waiting.first?.description.contains("album") == true)
      #expect(try a.rows("SELECT count(*) FROM track") == ["0"])
      #expect(try a.rows("PRAGMA foreign_key_check").isEmpty)
      #expect(try b.rows("PRAGMA foreign_key_check").isEmpty)
      try a.execute("INSERT INTO album VALUES (1, 'Blue again', NULL)")
      try exchange(a, b)
      try exchange(a, b)
      #expect(try a.rows("SELECT * FROM track") == ["10|1|All I Want"])
      #expect(try a.digest() == b.digest())
    }
  }

  @Test
  func `cascades travel as the rows that they deleted`() async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute(
        "INSERT INTO album VALUES (1, 'Blue', NULL); INSERT INTO track VALUES (1, 1, 'x')")
      try exchange(a, b)
      try a.execute("DELETE FROM album")
      try exchange(a, b)
      #expect(try b.rows("SELECT count(*) FROM track") == ["0"])
    }
  }
}
