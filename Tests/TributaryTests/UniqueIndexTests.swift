import Testing
import Tributary

/// UNIQUE indexes of all forms between two devices.
struct UniqueIndexTests {
  /// Two devices insert a row each, the first before the second.
  private func insert(
    _ index: String, _ first: String, _ second: String, _ body: (Store, Store) throws -> Void
  ) async throws {
    let schema = """
      CREATE TABLE account (id TEXT PRIMARY KEY NOT NULL, mail TEXT, realm TEXT, active INTEGER);
      CREATE UNIQUE INDEX account_unique ON account \(index)
      """
    try await withTwoDevices(schema) { a, b in
      try a.execute("INSERT INTO account VALUES ('a', \(first))")
      try b.execute("INSERT INTO account VALUES ('b', \(second))")
      try settle(a, b)
      try body(a, b)
    }
  }

  private static let all = "SELECT id FROM account ORDER BY id"

  @Test(arguments: [
    ("(mail)", "'x', NULL, 1", "'x', NULL, 0"),
    ("(mail, realm)", "'x', 'r', 1", "'x', 'r', 2"),
    ("(mail COLLATE NOCASE)", "'x', NULL, 1", "'X', NULL, 1"),
    ("(lower(mail))", "'x@y', NULL, 1", "'X@Y', NULL, 1"),
    ("(mail || realm)", "'ab', 'c', 1", "'a', 'bc', 1"),
    ("(mail) WHERE active", "'x', NULL, 1", "'x', NULL, 1"),
    ("(lower(mail)) WHERE active > 0", "'x', NULL, 1", "'X', NULL, 2"),
  ])
  func `of two rows with one key the later is held`(
    index: String, first: String, second: String
  ) async throws {
    try await insert(index, first, second) { a, b in
      for store in [a, b] {
        #expect(try store.rows(Self.all) == ["a"])
        let conflicts = try store.conflicts()
        #expect(conflicts.map(\.kind) == [.unique])
        #expect(conflicts.map(\.isHeld) == [true])
        #expect(conflicts.map(\.key) == [[.string("b")]])
        #expect(conflicts.map(\.loser.peer) == [b.peer])
      }
      // To free the key brings the held row back in the same commit.
      try b.execute("DELETE FROM account WHERE id = 'a'")
      #expect(try b.rows(Self.all) == ["b"])
      try settle(a, b)
      #expect(try a.rows(Self.all) == ["b"])
      #expect(try a.conflicts().isEmpty)
    }
  }

  @Test(arguments: [
    ("(mail)", "NULL, NULL, 1", "NULL, NULL, 1"),
    ("(mail, realm)", "'x', NULL, 1", "'x', NULL, 1"),
    ("(mail)", "'x', NULL, 1", "'X', NULL, 1"),
    ("(mail) WHERE active", "'x', NULL, 1", "'x', NULL, 0"),
    ("(lower(mail)) WHERE active > 0", "'x', NULL, 1", "'X', NULL, NULL"),
  ])
  func `rows that do not share a key are both visible`(
    index: String, first: String, second: String
  ) async throws {
    try await insert(index, first, second) { a, b in
      for store in [a, b] {
        let ids = try store.rows(Self.all)
        #expect(ids == ["a", "b"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `a row that leaves a partial index frees its key, and one that enters it is refused`()
    async throws
  {
    try await insert("(mail) WHERE active", "'x', NULL, 1", "'x', NULL, 1") { a, b in
      try a.execute("UPDATE account SET active = 0 WHERE id = 'a'")
      #expect(try a.rows(Self.all) == ["a", "b"])
      try settle(a, b)
      #expect(try b.rows(Self.all) == ["a", "b"])
      #expect(throws: SQLiteError.self) {
        try b.execute("UPDATE account SET active = 1 WHERE id = 'a'")
      }
      #expect(
        try b.rows("SELECT id, active FROM account ORDER BY id") == ["a|0", "b|1"])
    }
  }

  @Test func `restoring the held row deletes the one that has its key`() async throws {
    try await insert("(mail)", "'x', NULL, 1", "'x', NULL, 0") { a, b in
      #expect(try a.resolve(a.conflicts()[0], .restore))
      #expect(try b.resolve(b.conflicts()[0], .restore))
      try settle(a, b)
      for store in [a, b] {
        #expect(try store.rows("SELECT * FROM account") == ["b|x|null|0"])
        #expect(try store.conflicts().isEmpty)
      }
    }
  }

  @Test func `an insert under the key of a held row is refused and names the conflict`()
    async throws
  {
    try await insert("(mail)", "'x', NULL, 1", "'x', NULL, 0") { a, b in
      let conflict = try a.conflicts()[0]
      #expect {
        try a.execute("INSERT INTO account VALUES ('b', 'other', NULL, 1)")
      } throws: { error in
        "\(error)".contains(conflict.id)
      }
      #expect(try a.rows("SELECT * FROM account") == ["a|x|null|1"])
      #expect(try a.conflicts() == [conflict])
      #expect(try b.conflicts() == [conflict])
    }
  }
}
