import Testing
import Tributary
import TributaryTesting

struct ConstraintTests {
  @Test
  func `of two rows with one unique key the first is visible, the other is held until it is free`()
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
      for store in [a, b, c] {
        #expect(try store.rows("SELECT id FROM album ORDER BY id") == ["1", "3"])
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.kind) == [.unique])
        #expect(conflicts.first?.isHeld == true)
        #expect(conflicts.first?.key == [2])
        #expect(conflicts.first?.winner.peer == a.peer)
        #expect(conflicts.first?.loser.peer == b.peer)
        #expect(try store.conflicts() == a.conflicts())
        #expect(try store.status().waiting.isEmpty)
      }
      try b.execute("UPDATE album SET title = 'Different' WHERE id = 1")
      #expect(
        try b.rows("SELECT id, title FROM album ORDER BY id").prefix(2) == [
          "1|Different", "2|Same",
        ])
      try exchange(a, b, c)
      for store in [a, b, c] {
        #expect(try store.rows("SELECT id FROM album ORDER BY id") == ["1", "2", "3"])
        #expect(try store.digest() == a.digest())
        #expect(try store.conflicts().isEmpty)
      }
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
  func `a child whose parent was deleted meanwhile is held, and comes back with the parent`()
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
      for store in [a, b] {
        #expect(try store.rows("SELECT count(*) FROM track") == ["0"])
        #expect(try store.rows("PRAGMA foreign_key_check").isEmpty)
        #expect(try store.conflicts().map(\.kind) == [.foreignKey])
        #expect(try store.conflicts() == a.conflicts())
        #expect(try store.status().waiting.isEmpty)
      }
      try a.execute("INSERT INTO album VALUES (1, 'Blue again', NULL)")
      #expect(try a.rows("SELECT * FROM track") == ["10|1|All I Want"])
      try exchange(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM track") == ["10|1|All I Want"])
        #expect(try store.conflicts().isEmpty)
        #expect(try store.digest() == a.digest())
      }
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
