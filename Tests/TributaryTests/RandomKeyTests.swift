import Testing
import Tributary

/// Keys from `tributary_id()`.
struct RandomKeyTests {
  @Test(arguments: [
    (
      "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)",
      "INSERT INTO album (id, title) VALUES (tributary_id(), ?)"
    ),
    (
      "CREATE TABLE album (id INTEGER NOT NULL PRIMARY KEY DEFAULT (tributary_id()), title TEXT) "
        + "WITHOUT ROWID",
      "INSERT INTO album (title) VALUES (?)"
    ),
  ])
  func `keys from tributary_id never clash, and every row keeps its own`(
    schema: String, insert: String
  ) async throws {
    try await withTwoDevices(schema) { a, b in
      for (name, store) in [("a", a), ("b", b)] {
        try store.write { db in
          for number in 1...200 { try db.execute(insert, "\(name) \(number)") }
        }
      }
      let written = try [a, b].flatMap { try $0.rows("SELECT id, title FROM album") }.sorted()
      #expect(Set(written).count == 400)
      #expect(
        try a.rows("SELECT count(*) FROM album WHERE id NOT BETWEEN 1 AND 1 << 62") == ["0"])
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT id, title FROM album").sorted() == written)
        #expect(try store.conflicts().isEmpty)
      }
    }
  }
}
