import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

/// What is recorded of tables that are merged by row, and of columns with a policy.
struct PolicyCaptureTests {
  static let script = """
    CREATE TABLE t (k INTEGER PRIMARY KEY, a, n INTEGER, hi, lo);
    INSERT INTO t VALUES (1, 'a', 10, 5, 5), (2, 'b', NULL, NULL, NULL);
    """
  static let options = MergeOptions(tables: [
    "T": TableMerge(columns: ["N": .counter, "hi": .max, "lo": .min])
  ])

  @Test func `an update of a counter records by how much`() throws {
    try withStore(Self.script, merge: Self.options) { store in
      try store.expect("UPDATE t SET n = n + 3 WHERE k = 1", ["update t (1) n = 3"])
      try store.expect(
        "UPDATE t SET n = 1, a = 'z'",
        [
          "update t (1) a = 'z', n = -12", "update t (2) a = 'z', n = 1",
        ])
      try store.expectFailure("UPDATE t SET n = NULL WHERE k = 1", "write 0")
      try store.expectFailure("UPDATE t SET n = 5; UPDATE t SET n = NULL", "write 0")
      try store.expect("UPDATE t SET n = 0 WHERE k = 1", ["update t (1) n = -1"])
      // Nothing is added to NULL, which counts as 0, and it is 0 then.
      try store.expect(
        "INSERT INTO t (k) VALUES (3)",
        ["insert t (3) a = NULL, hi = NULL, k = 3, lo = NULL, n = NULL"])
      try store.expect("UPDATE t SET n = 0 WHERE k = 3", ["update t (3) n = 0"])
      try store.expect("UPDATE t SET a = 'y' WHERE k = 1", ["update t (1) a = 'y'"])
      try store.expect(
        "UPDATE t SET n = 9223372036854775807 WHERE k = 1",
        ["update t (1) n = 9223372036854775807"])
      try store.expect(
        "UPDATE t SET n = -9223372036854775807 - 1 WHERE k = 1", ["update t (1) n = 1"])
    }
  }

  @Test func `a counter that is updated several times records the sum`() throws {
    try withStore(Self.script, merge: Self.options) { store in
      try store.expect(
        "UPDATE t SET n = n + 1 WHERE k = 1; UPDATE t SET n = n + 5 WHERE k = 1",
        ["update t (1) n = 6"])
      try store.expect("UPDATE t SET n = n + 1 WHERE k = 1; UPDATE t SET n = n - 1 WHERE k = 1", [])
      try store.expect(
        "INSERT INTO t VALUES (3, NULL, 7, NULL, NULL); UPDATE t SET n = n + 1 WHERE k = 3",
        ["insert t (3) a = NULL, hi = NULL, k = 3, lo = NULL, n = 8"])
      try store.expect(
        "DELETE FROM t WHERE k = 3; INSERT INTO t VALUES (3, NULL, 2, NULL, NULL)",
        ["replace t (3) a = NULL, hi = NULL, k = 3, lo = NULL, n = 2"])
      try store.expect(["update t (1) n = 2"]) { database in
        try database.execute("UPDATE t SET n = n + 2 WHERE k = 1")
        try database.execute("SAVEPOINT s; UPDATE t SET n = n + 100 WHERE k = 1; ROLLBACK TO s")
      }
    }
  }

  @Test(arguments: ["'x'", "1.5", "x'00'"])
  func `a counter takes nothing but integers`(value: String) throws {
    try withStore(Self.script, merge: Self.options) { store in
      try store.expectFailure("UPDATE t SET n = \(value)", "counter")
      try store.expectFailure("INSERT INTO t (k, n) VALUES (9, \(value))", "counter")
      try store.expectFailure("UPDATE t SET k = 7, n = \(value) WHERE k = 1", "counter")
      try store.expectFailure(
        "UPDATE t SET n = 1; UPDATE t SET n = \(value) WHERE k = 2", "counter")
      // What is set right before the commit is right.
      try store.expect(
        "UPDATE t SET n = \(value) WHERE k = 1; UPDATE t SET n = 12 WHERE k = 1",
        ["update t (1) n = 2"])
      try store.expect(
        "INSERT INTO t (k, n) VALUES (9, \(value)); UPDATE t SET n = 4 WHERE k = 9",
        ["insert t (9) a = NULL, hi = NULL, k = 9, lo = NULL, n = 4"])
      try store.expect("INSERT INTO t (k, n) VALUES (8, \(value)); DELETE FROM t WHERE k = 8", [])
    }
  }

  @Test func `a number that the column makes an integer counts`() throws {
    try withStore(Self.script, merge: Self.options) { store in
      try store.expect("UPDATE t SET n = '12' WHERE k = 1", ["update t (1) n = 2"])
      try store.expect("UPDATE t SET n = 13.0 WHERE k = 1", ["update t (1) n = 1"])
    }
  }

  @Test(arguments: [
    ("hi", ["NULL", "4", "-1", "4.999"], ["5", "5.5", "9223372036854775807", "'a'", "x''"]),
    ("lo", ["NULL", "6", "5.001", "'a'", "x''"], ["5", "4.5", "-9e99"]),
  ])
  func `largest and smallest values are kept`(
    column: String, refused: [String], allowed: [String]
  ) throws {
    try withStore(Self.script, merge: Self.options) { store in
      for value in refused {
        try store.expectFailure(
          "UPDATE t SET \(column) = \(value) WHERE k = 1", "which keeps the")
        try store.expectFailure(
          "UPDATE t SET a = 'q'; UPDATE t SET \(column) = \(value) WHERE k = 1", "which keeps the")
        // Only what the commit leaves counts.
        try store.expect(
          """
          UPDATE t SET \(column) = \(value) WHERE k = 1;
          UPDATE t SET \(column) = 5 WHERE k = 1
          """, [])
        try store.expect(
          "DELETE FROM t WHERE k = 1; INSERT INTO t (k, \(column)) VALUES (1, \(value))",
          [
            "replace t (1) a = NULL, hi = \(column == "hi" ? value : "NULL"), k = 1, lo = "
              + "\(column == "lo" ? value : "NULL"), n = NULL"
          ].map { $0.replacing("-9e99", with: "-9e+99") })
        _ = try store.write("REPLACE INTO t VALUES (1, 'a', 10, 5, 5)")
      }
      for value in allowed {
        let recorded = try store.write("UPDATE t SET \(column) = \(value) WHERE k = 1")
        #expect(recorded.count == (value == "5" ? 0 : 1), "\(value)")
        // NULL gives way to everything.
        #expect(try store.write("UPDATE t SET \(column) = \(value) WHERE k = 2").count == 1)
        _ = try store.write("REPLACE INTO t VALUES (1, 'a', 10, 5, 5), (2, 'b', 1, NULL, NULL)")
      }
    }
  }

  @Test func `many doubtful rows are told apart in one commit`() throws {
    try withStore(Self.script, merge: Self.options) { store in
      _ = try store.write(
        """
        WITH RECURSIVE i(k) AS (SELECT 100 UNION ALL SELECT k + 1 FROM i WHERE k < 20000)
        INSERT INTO t SELECT k, NULL, 1, 7, 7 FROM i
        """)
      try store.expectFailure("UPDATE t SET hi = 0 WHERE k >= 100", "which keeps the largest")
      let lines = try store.write(
        """
        UPDATE t SET hi = 0 WHERE k >= 100 AND k % 2; UPDATE t SET hi = 8 WHERE k >= 100;
        UPDATE t SET n = 'x' WHERE k >= 19999; UPDATE t SET n = 3 WHERE k >= 19999
        """)
      #expect(lines.count == 19_901)
      #expect(Set(lines.map { $0.drop { $0 != ")" } }) == [") hi = 8", ") hi = 8, n = 2"])
    }
  }

  @Test func `tables that are merged by row record all columns of an update`() throws {
    try withStore(
      """
      CREATE TABLE c (k INTEGER PRIMARY KEY, a, b, CHECK (a <= b));
      CREATE TABLE d (a, k TEXT PRIMARY KEY, b REAL, n INTEGER) WITHOUT ROWID;
      INSERT INTO c VALUES (1, 1, 2); INSERT INTO d VALUES (1, 'x', 2, 3);
      """, merge: MergeOptions(tables: ["d": TableMerge(merge: .row, columns: ["n": .counter])])
    ) { store in
      try store.expect("UPDATE c SET a = 0", ["update c (1) a = 0, b = 2"])
      try store.expect("UPDATE c SET a = 0", [])
      try store.expect("UPDATE c SET a = 1; UPDATE c SET b = 5", ["update c (1) a = 1, b = 5"])
      try store.expect("UPDATE c SET a = 2; UPDATE c SET a = 1", [])
      try store.expect("UPDATE d SET a = 7", ["update d ('x') a = 7, b = 2.0"])
      try store.expect(
        "UPDATE d SET n = n + 4; UPDATE d SET n = n - 1", ["update d ('x') a = 7, b = 2.0, n = 3"])
      try store.expect(
        "UPDATE d SET k = 'y'",
        [
          "delete d ('x')", "insert d ('y') a = 7, b = 2.0, k = 'y', n = 6",
        ])
    }
  }

  @Test func `what rows record adds up to the rows, however they were written`() throws {
    try withSeeds(0..<30, filter: "PolicyCaptureTests") { generator in
      try withStore(
        """
        CREATE TABLE t (k INTEGER PRIMARY KEY, v AS (n + 1), a, n INTEGER, m INTEGER);
        """,
        merge: MergeOptions(tables: [
          "t": TableMerge(merge: .row, columns: ["n": .counter, "m": .max])
        ])
      ) { store in
        var rows: [Value: [String: Value]] = [:]
        for _ in 0..<20 {
          _ = try store.write { database in
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
              try database.execute(Self.statement(using: &generator))
            }
          }
        }
        for number in 1...(try store.last().rawValue) {
          let transaction = try #require(try store.record(SequenceNumber(number)))
          for change in transaction.changes { Self.apply(change, to: &rows) }
        }
        let expected = try store.store.read { try $0.query("SELECT k, a, n, m FROM t") }
        #expect(rows.count == expected.count)
        for row in expected {
          let found = try #require(rows[row.values[0]])
          #expect(found["a"] == row["a"])
          #expect(found["m"] == row["m"])
          #expect(found["n"] == row["n"])
        }
      }
    }
  }

  private static func statement(using generator: inout some RandomNumberGenerator) -> String {
    let key = Int.random(in: 1...4, using: &generator)
    let number = Int.random(in: -5...5, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return "REPLACE INTO t (k, a, n, m) VALUES (\(key), 1, nullif(\(number), 5), 1)"
    case 1: return "DELETE FROM t WHERE k = \(key)"
    case 2: return "UPDATE t SET n = n + \(number) WHERE k = \(key)"
    case 3: return "UPDATE t SET n = \(number), a = 3 WHERE k = \(key)"
    case 4: return "UPDATE t SET m = max(m, \(number)) WHERE k <= \(key)"
    default: return "UPDATE OR IGNORE t SET k = \(key) WHERE k = \(5 - key)"
    }
  }

  private static func apply(_ change: ReferenceChange, to rows: inout [Value: [String: Value]]) {
    let key = change.key[0]
    switch change.operation {
    case .delete: rows[key] = nil
    case .insert, .replace: rows[key] = change.values
    case .update:
      let increment: Int64 = if case .integer(let n) = change.values["n"] ?? .null { n } else { 0 }
      let before = rows[key]?["n"]
      let known: Int64 = if case .integer(let n) = rows[key]?["n"] ?? .null { n } else { 0 }
      rows[key]?.merge(change.values) { $1 }
      rows[key]?["n"] = change.values["n"] == nil ? before : .integer(known &+ increment)
    }
  }
}
