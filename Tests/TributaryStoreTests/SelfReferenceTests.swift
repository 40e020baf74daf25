import Testing
import TributarySQLite
import TributaryStore
import TributaryTesting

/// SQLite (3.40 among others) takes a violation off its count twice when a row is given, or given again,
/// the key that it refers to itself, and then commits a foreign key that refers to nothing.
struct SelfReferenceTests {
  private static let tables = """
    CREATE TABLE t (
      k INTEGER PRIMARY KEY, c INTEGER UNIQUE,
      f INTEGER REFERENCES t(c) DEFERRABLE INITIALLY DEFERRED, n TEXT);
    CREATE TABLE p (k INTEGER PRIMARY KEY);
    CREATE TABLE q (
      k INTEGER PRIMARY KEY, f INTEGER REFERENCES p(k) DEFERRABLE INITIALLY DEFERRED);
    """

  @Test func `a row that comes to refer to itself hides no other that refers to nothing`() throws {
    let script = """
      INSERT INTO p VALUES (2); INSERT INTO t VALUES (2, 3, NULL, ''), (3, 4, 3, '');
      INSERT INTO q VALUES (1, 2);
      """
    try withStore(Self.tables + script) { store in
      let message = try store.failure(
        """
        UPDATE q SET f = 3 WHERE k = 1; UPDATE t SET c = 99 WHERE k = 2;
        UPDATE t SET c = 3 WHERE k = 3; UPDATE t SET c = 4 WHERE k = 2
        """)
      #expect(
        message.hasSuffix(
          "FOREIGN KEY constraint failed: the row (1) of table q refers to a row of p that does not exist"
        ), "\(message)")
      try store.expectRows("SELECT f FROM q", ["2"])
      try store.expectRows("SELECT c FROM t", ["3", "4"])
    }
  }

  @Test func `the key may be the row identifier behind virtual columns`() throws {
    let script = """
      CREATE TABLE v (
        a, w AS (n + 1) VIRTUAL, x AS (n) VIRTUAL, n,
        f INTEGER REFERENCES v(k) DEFERRABLE INITIALLY DEFERRED, k INTEGER PRIMARY KEY);
      CREATE TABLE u (
        a, w AS (n + 1) VIRTUAL, n, c INTEGER UNIQUE,
        k INTEGER PRIMARY KEY REFERENCES u(c) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO v (k, f, n) VALUES (1, NULL, 5), (2, 1, 6); INSERT INTO u (k, c, n) VALUES (1, 1, 7)
      """
    try withStore(script) { store in
      try store.expect("UPDATE v SET n = 8 WHERE k = 2", ["update v (2) n = 8"])
      try store.expect("UPDATE v SET f = 2 WHERE k = 2", ["update v (2) f = 2"])
      try store.expect("UPDATE u SET n = 9", ["update u (1) n = 9"])
      #expect(
        try store.failure(
          "UPDATE v SET f = 3 WHERE k = 2; UPDATE v SET k = 3 WHERE k = 1; UPDATE v SET f = 4"
        )
        .contains("FOREIGN KEY constraint failed"))
    }
  }

  @Test func `a row that refers to itself and is written as it was hides none`() throws {
    let script = "INSERT INTO t VALUES (1, 1, 1, 'root'), (2, 2, 1, '');"
    try withStore(Self.tables + script) { store in
      for violation in [
        "INSERT INTO q VALUES (1, 7)", "INSERT INTO t VALUES (3, 3, 8, '')",
        "UPDATE t SET f = 9 WHERE k = 2",
        "INSERT INTO t VALUES (4, 4, 1, ''), (5, 5, 4, ''); UPDATE t SET c = 6 WHERE k = 4",
        "INSERT INTO p VALUES (1); INSERT INTO q VALUES (1, 1); DELETE FROM p",
      ] {
        let root = "UPDATE t SET c = 1, f = 1, n = 'new' WHERE k = 1"
        for script in ["\(root); \(violation)", "\(violation); \(root)"] {
          #expect(try store.failure(script).contains("FOREIGN KEY constraint failed"), "\(script)")
        }
      }
      try store.expect(
        "UPDATE t SET c = 1, f = 1, n = 'new' WHERE k = 1; INSERT INTO t VALUES (3, 3, 2, '')",
        ["insert t (3) c = 3, f = 2, k = 3, n = ''", "update t (1) n = 'new'"])
      let message = try store.failure(
        "INSERT INTO p VALUES (5); INSERT INTO q VALUES (1, 5), (2, 5); UPDATE t SET c = c WHERE k = 1; DELETE FROM p"
      )
      #expect(message.contains("the row (1) of table q refers to a row of p"), "\(message)")
    }
  }

  @Test func `a parent that goes while a row refers to itself is missed`() throws {
    let script = """
      INSERT INTO t VALUES (1, 1, 1, 'root'); INSERT INTO p VALUES (5);
      INSERT INTO q VALUES (1, 5), (2, 5);
      """
    try withStore(Self.tables + script) { store in
      let message = try store.failure(
        "UPDATE t SET c = 1; UPDATE t SET c = 1; UPDATE p SET k = 6")
      #expect(message.contains("the row (1) of table q refers to a row of p"), "\(message)")
      try store.expect(
        "UPDATE t SET c = 1; UPDATE p SET k = 6; UPDATE q SET f = 6",
        ["delete p (5)", "insert p (6) k = 6", "update q (1) f = 6", "update q (2) f = 6"])
    }
  }

  @Test(
    arguments: [
      "k INTEGER PRIMARY KEY, c INTEGER UNIQUE, f INTEGER REFERENCES t(c)",
      "k INTEGER UNIQUE, c INTEGER PRIMARY KEY, f INTEGER REFERENCES t",
      "k TEXT PRIMARY KEY, c TEXT COLLATE NOCASE UNIQUE, f INTEGER REFERENCES t(c)",
      "k INTEGER PRIMARY KEY, c INTEGER UNIQUE, d AS (c) STORED UNIQUE, f INTEGER REFERENCES t(d)",
    ], ["", " WITHOUT ROWID"])
  func `no history of a table that refers to itself leaves a foreign key that refers to nothing`(
    columns: String, suffix: String
  ) throws {
    for seed in UInt64(1)...40 {
      var random = SeededGenerator(seed: seed)
      try withStore(
        """
        CREATE TABLE t (\(columns) DEFERRABLE INITIALLY DEFERRED)\(suffix);
        CREATE TABLE p (k INTEGER PRIMARY KEY);
        CREATE TABLE q (
          k INTEGER PRIMARY KEY, f INTEGER REFERENCES p DEFERRABLE INITIALLY DEFERRED);
        """
      ) { store in
        for _ in 0..<12 {
          // Many of these are refused, and what is left is what is looked at.
          _ = try? store.write { database in
            for _ in 0..<Int.random(in: 1...6, using: &random) {
              try? database.execute(Self.statement(using: &random))
            }
          }
          try store.expectRows("SELECT count(*) FROM pragma_foreign_key_check", ["0"])
        }
      }
    }
  }

  @Test func `a table that gets a column in the same transaction is looked at whole`() throws {
    let script = """
      INSERT INTO t VALUES (1, 1, 1, 'root'); INSERT INTO p VALUES (5);
      INSERT INTO q VALUES (1, 5);
      """
    try withStore(Self.tables + script) { store in
      let message = try store.failure(
        "ALTER TABLE p ADD COLUMN v; UPDATE t SET c = 1; DELETE FROM p")
      #expect(message.contains("the row (1) of table q refers to a row of p"), "\(message)")
    }
  }

  private static func statement(using random: inout SeededGenerator) -> String {
    let (k, c) = (Int.random(in: 1...5, using: &random), Int.random(in: 1...4, using: &random))
    let f = Bool.random(using: &random) ? "NULL" : "\(Int.random(in: 1...4, using: &random))"
    return switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: "INSERT INTO t (k, c, f) VALUES (\(k), \(c), \(f))"
    case 2: "DELETE FROM t WHERE k = \(k)"
    case 3, 4: "UPDATE t SET c = \(c) WHERE k = \(k)"
    case 5: "UPDATE t SET f = \(f) WHERE k = \(k)"
    case 6: "UPDATE t SET c = \(c), f = \(f) WHERE k = \(k)"
    case 7: "INSERT OR REPLACE INTO t (k, c, f) VALUES (\(k), \(c), \(f))"
    default: "INSERT INTO q VALUES (\(k), \(c))"
    }
  }
}
