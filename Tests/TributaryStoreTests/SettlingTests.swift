import Testing
import TributaryCore
import TributaryStore

/// What a transaction says of rows that it does not change.
struct SettlingTests {
  private static let tables = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a, b, c REAL);
    CREATE TABLE n (x TEXT COLLATE NOCASE, y, g AS (y || y), PRIMARY KEY (y, x)) WITHOUT ROWID;
    INSERT INTO t VALUES (1, 'a', NULL, 2), (2, 'b', x'00', 0.5);
    INSERT INTO n (x, y) VALUES ('Key', 7);
    """

  @Test func `columns of a row are recorded with the values that they have`() throws {
    try withStore(Self.tables) { store in
      try store.expect(["update t (1) a = 'a', c = 2.0"]) {
        try $0.settle(table: "t", key: [1], columns: ["c", "A"])
      }
      try store.expect(["update t (2) b = x'00', c = 0.5"]) {
        try $0.settle(table: "T", key: [2], columns: ["c"])
        try $0.settle(table: "t", key: [2], columns: ["b", "c"])
      }
      try store.expectRows("SELECT * FROM t", ["1, 'a', NULL, 2.0", "2, 'b', x'00', 0.5"])
    }
  }

  @Test func `a key in another spelling is the key that the row has`() throws {
    try withStore(Self.tables + "CREATE TABLE m (x TEXT PRIMARY KEY COLLATE NOCASE, y);") { store in
      try store.expect("INSERT INTO m VALUES ('Key', 'y')", ["insert m ('Key') x = 'Key', y = 'y'"])
      try store.expect(["update m ('Key') y = 'y'"]) {
        try $0.settle(table: "m", key: ["kEY"], columns: ["y"])
      }
      // There is nothing but the key.
      try store.expect(["update n (7, 'Key')"]) {
        try $0.settle(table: "n", key: [7.0, "KEY"], columns: ["x"])
      }
    }
  }

  @Test func `a row that is changed too has one item, with its columns and the others`() throws {
    try withStore(Self.tables) { store in
      try store.expect(["update t (1) a = 'new', b = 'b', c = 2.0"]) { database in
        try database.settle(table: "t", key: [1], columns: ["c", "a"])
        try database.execute("UPDATE t SET a = 'new', b = 'b' WHERE k = 1")
      }
      // Changed twice, so that its net effect is computed, beside others.
      try store.expect([
        "delete t (2)", "insert t (3) a = 3, b = NULL, c = NULL, k = 3",
        "update t (1) a = 2, b = 'b'",
      ]) {
        database in
        try database.execute(
          """
          UPDATE t SET a = 1 WHERE k = 1; UPDATE t SET a = 2 WHERE k = 1; DELETE FROM t WHERE k = 2;
          INSERT INTO t (k, a) VALUES (3, 3);
          """)
        try database.settle(table: "t", key: [1], columns: ["b"])
        try database.settle(table: "t", key: [2], columns: ["b"])
        try database.settleDeletion(table: "t", key: [2])
        try database.settle(table: "t", key: [3], columns: ["b"])
        try database.settleDeletion(table: "t", key: [3])
      }
    }
  }

  @Test func `what was changed and changed back is recorded where that is said`() throws {
    try withStore(Self.tables) { store in
      try store.expect(["update t (1) a = 'a'"]) { database in
        try database.execute(
          "UPDATE t SET a = 1, b = 1; UPDATE t SET a = 'a', b = NULL WHERE k = 1")
        try database.execute("UPDATE t SET a = 'b', b = x'00' WHERE k = 2")
        try database.settle(table: "t", key: [1], columns: ["a"])
      }
    }
  }

  @Test func `a key without a row is recorded as deleted, and one with a row is not`() throws {
    try withStore(Self.tables) { store in
      try store.expect(["delete n ('no', 'Key')", "delete t (9)"]) { database in
        try database.settleDeletion(table: "t", key: [9])
        try database.settleDeletion(table: "t", key: [9])
        try database.settleDeletion(table: "n", key: ["no", "Key"])
        try database.settleDeletion(table: "t", key: [1])
      }
      try store.expect([]) { try $0.settleDeletion(table: "t", key: [1]) }
      try store.expect([]) { try $0.settle(table: "t", key: [9], columns: ["a"]) }
      // Both, for those who do not know whether there is a row.
      try store.expect(["delete t (9)", "update t (1) b = NULL"]) { database in
        for key in [1, 9] as [Value] {
          try database.settle(table: "t", key: [key], columns: ["b"])
          try database.settleDeletion(table: "t", key: [key])
        }
      }
      try store.expectRows("SELECT k FROM t", ["1", "2"])
    }
  }

  @Test func `what a savepoint takes back is not recorded, nor what a transaction does`() throws {
    try withStore(Self.tables) { store in
      try store.expect(["update t (1) a = 'a'"]) { database in
        try database.settle(table: "t", key: [1], columns: ["a"])
        try database.execute("SAVEPOINT s")
        try database.settle(table: "t", key: [1], columns: ["b"])
        try database.settleDeletion(table: "t", key: [9])
        try database.execute("ROLLBACK TO s")
      }
      struct Stop: Error {}
      _ = try store.failure { database in
        try database.settleDeletion(table: "t", key: [9])
        throw Stop()
      }
      try store.expect("UPDATE t SET a = 5 WHERE k = 1", ["update t (1) a = 5"])
    }
  }

  @Test func `a column that the transaction has added can be settled`() throws {
    try withStore(Self.tables) { store in
      store.forgetHistory()
      try store.expect(["update t (1) a = 6, d = 'd'", "update t (2) d = 'd'"]) { database in
        try database.execute(
          "UPDATE t SET a = 6 WHERE k = 1; ALTER TABLE t ADD COLUMN d DEFAULT 'd'")
        try database.settle(table: "t", key: [1], columns: ["d"])
        try database.settle(table: "t", key: [2], columns: ["d"])
      }
    }
  }

  @Test(
    arguments: [
      ("nowhere", [1], ["a"], "no replicated table nowhere"), ("t", [1], ["q"], "no column q"),
      ("t", [1, 2], ["a"], "not a key of table t"), ("t", [.null], ["a"], "not a key of table t"),
      ("cache", [1], ["a"], "no replicated table cache"),
    ] as [(String, [Value], [String], String)])
  func `what cannot be settled is an error`(
    table: String, key: [Value], columns: [String], message: String
  ) throws {
    try withStore(
      Self.tables + "CREATE TABLE cache (k INTEGER PRIMARY KEY, a);", selection: .except(["cache"])
    ) { store in
      let failure = try store.failure { try $0.settle(table: table, key: key, columns: columns) }
      #expect(failure.contains(message))
      #expect(throws: StoreError.self) {
        try store.store.read { try $0.settleDeletion(table: "t", key: [9]) }
      }
    }
  }
}
