import Testing
import Tributary
import TributaryTesting

/// Lost updates that `write(basedOn:)` tells, each as an application meets it.
struct StaleWriteTests {
  private func withAlbum(_ body: (Store, Store) throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let devices = try Devices(in: directory)
      let a = try await devices.open("a")
      let b = try await devices.open("b")
      try a.execute("INSERT INTO album VALUES (1, 'Blue', 1)")
      try settle(a, b)
      try body(a, b)
    }
  }

  private func lost(_ store: Store) throws -> [[Conflict.Cell]] {
    try store.conflicts().map {
      $0.values.map { Conflict.Cell(column: $0.column, value: $0.value) }
    }
  }

  @Test func `an object in a cache that is saved late does not silently undo another write`()
    async throws
  {
    try await withAlbum { a, b in
      let cached = try a.read { db in (try db.query("SELECT * FROM album")[0], try db.version) }
      try a.execute("UPDATE album SET title = 'Kind of Blue', rating = 2")
      let title = try #require(cached.0.string("title"))
      try a.write(basedOn: cached.1) {
        try $0.execute("UPDATE album SET title = ? || '!' WHERE id = 1", title)
      }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["1|Blue!|2"])
        #expect(
          try lost(store) == [[Conflict.Cell(column: "title", value: .string("Kind of Blue"))]])
      }
    }
  }

  @Test func `a form that was open while an import came is told of what it wrote over`()
    async throws
  {
    try await withAlbum { a, b in
      let opened = try a.read { try $0.version }
      try b.execute("UPDATE album SET title = 'Hejira'")
      try settle(a, b)
      #expect(try a.rows("SELECT title FROM album") == ["Hejira"])
      try a.write(basedOn: opened) { try $0.execute("UPDATE album SET title = 'Mingus'") }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["1|Mingus|1"])
        #expect(try lost(store) == [[Conflict.Cell(column: "title", value: .string("Hejira"))]])
        #expect(try store.conflicts().map(\.loser.peer) == [b.peer])
      }
      #expect(try b.resolve(b.conflicts()[0], .restore))
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["1|Hejira|1"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `of two windows that save one field the second shows and the first is a conflict`()
    async throws
  {
    try await withAlbum { a, b in
      let windows = try (0..<2).map { _ in try a.read { try $0.version } }
      try a.write(basedOn: windows[0]) { try $0.execute("UPDATE album SET rating = 3") }
      try a.write(basedOn: windows[1]) { try $0.execute("UPDATE album SET rating = 4") }
      #expect(try lost(a) == [[Conflict.Cell(column: "rating", value: 3)]])
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM album") == ["1|Blue|4"])
      #expect(try lost(b) == lost(a))
      // Windows that save different fields do not meet, and a write that saw both settles it.
      let seen = try a.read { try $0.version }
      try a.execute("UPDATE album SET title = 'Mingus'")
      try a.write(basedOn: seen) { try $0.execute("UPDATE album SET rating = 5") }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album") == ["1|Mingus|5"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `a stale deletion shows what was written in between`() async throws {
    try await withAlbum { a, b in
      let seen = try a.read { try $0.version }
      try a.execute("UPDATE album SET rating = 5")
      try a.write(basedOn: seen) { try $0.execute("DELETE FROM album") }
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM album").isEmpty)
        #expect(try store.conflicts().map(\.kind) == [.delete])
        #expect(try lost(store) == [[Conflict.Cell(column: "rating", value: 5)]])
      }
      #expect(try a.resolve(a.conflicts()[0], .restore))
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM album") == ["1|Blue|5"])
      #expect(try b.conflicts().isEmpty)
    }
  }

  @Test func `a write that says nothing of a version counts as one that saw everything`()
    async throws
  {
    try await withAlbum { a, b in
      try a.execute("UPDATE album SET rating = 3")
      try a.execute("UPDATE album SET rating = 4")
      try settle(a, b)
      #expect(try b.rows("SELECT * FROM album") == ["1|Blue|4"])
      #expect(try b.conflicts().isEmpty)
    }
  }
}
