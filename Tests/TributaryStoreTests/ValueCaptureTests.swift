import Testing
import TributaryCore
import TributaryStore

/// Values are recorded as SQLite stores them, to the bit.
struct ValueCaptureTests {
  @Test func `whole numbers in REAL columns are reals`() throws {
    try withStore("CREATE TABLE r (k INTEGER PRIMARY KEY, x REAL)") { store in
      try store.expect("INSERT INTO r VALUES (1, 2)", ["insert r (1) k = 1, x = 2.0"])
      try store.expect("UPDATE r SET x = 2.0", [])
      try store.expect("UPDATE r SET x = 3", ["update r (1) x = 3.0"])
      try store.expect("UPDATE r SET x = x + 0.5", ["update r (1) x = 3.5"])
      try store.expect("UPDATE r SET x = '4'", ["update r (1) x = 4.0"])
      try store.expect("UPDATE r SET x = 'four'", ["update r (1) x = 'four'"])
      try store.expect("UPDATE r SET x = NULL", ["update r (1) x = NULL"])
      try store.expect("UPDATE r SET x = 0", ["update r (1) x = 0.0"])
    }
  }

  @Test func `infinities and zeros with a sign are kept as the column keeps them`() throws {
    try withStore("CREATE TABLE r (k INTEGER PRIMARY KEY, x REAL, y)") { store in
      try store.expect(["insert r (1) k = 1, x = 0.0, y = -0.0"]) {
        try $0.execute("INSERT INTO r VALUES (1, ?, ?)", -0.0, -0.0)
      }
      try store.expect(["update r (1) y = 0.0"]) { try $0.execute("UPDATE r SET y = ?", 0.0) }
      try store.expect(["update r (1) x = inf, y = -inf"]) {
        try $0.execute("UPDATE r SET x = 9e999, y = -9e999")
      }
      try store.expect("UPDATE r SET x = 9e999", [])
      try store.expect("UPDATE r SET y = 1", ["update r (1) y = 1"])
      try store.expect("UPDATE r SET y = 1.0", ["update r (1) y = 1.0"])
      try store.expect("UPDATE r SET y = '1'", ["update r (1) y = '1'"])
      try store.expect("UPDATE r SET y = x'31'", ["update r (1) y = x'31'"])
    }
  }

  @Test func `text is bytes`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, x TEXT)") { store in
      let texts: [[UInt8]] = [[0xFF, 0xFE], [0], [], [0x61, 0, 0x62], [0xED, 0xA0, 0x80]]
      for (number, text) in texts.enumerated() {
        let word = number == 0 ? "insert" : "replace"
        let written = try store.write {
          try $0.execute("REPLACE INTO t VALUES (1, ?)", Value.text(text))
        }
        #expect(written == ["\(word) t (1) k = 1, x = \(literal(text))"])
      }
      try store.expect("UPDATE t SET x = ''", ["update t (1) x = ''"])
      try store.expect("UPDATE t SET x = x'00'", ["update t (1) x = x'00'"])
      try store.expect("UPDATE t SET x = x''", ["update t (1) x = x''"])
    }
  }

  private func literal(_ text: [UInt8]) -> String {
    text.isEmpty ? "''" : "CAST(x'\(text.lowerHex)' AS TEXT)"
  }

  @Test func `numbers of any size are kept`() throws {
    let numbers: [Int64] = [.min, -1, 0, 1, 127, 128, 32_768, 1 << 23, 1 << 31, 1 << 47, .max]
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, x)") { store in
      for number in numbers {
        let written = try store.write {
          try $0.execute("INSERT INTO t VALUES (?, ?)", number, number)
        }
        #expect(written == ["insert t (\(number)) k = \(number), x = \(number)"])
      }
    }
  }

  @Test func `STRICT tables are recorded as they store`() throws {
    try withStore(
      "CREATE TABLE s (k TEXT PRIMARY KEY, i INTEGER, r REAL, x ANY, b BLOB) STRICT"
    ) { store in
      try store.expect(
        "INSERT INTO s VALUES ('k', '12', 3, '012', x'')",
        ["insert s ('k') b = x'', i = 12, k = 'k', r = 3.0, x = '012'"])
      try store.expect("UPDATE s SET x = 1.0, r = 4", ["update s ('k') r = 4.0, x = 1.0"])
      try store.expect("UPDATE s SET x = 1", ["update s ('k') x = 1"])
      try store.expectFailure("UPDATE s SET i = 'x'", "cannot store TEXT value")
    }
  }

  @Test func `generated columns are not recorded, wherever they stand`() throws {
    try withStore(
      """
      CREATE TABLE g (k INTEGER PRIMARY KEY, v AS (a + 1), s AS (a * 2) STORED, a, w AS (b || '!'),
        b REAL, u AS (k) UNIQUE)
      """
    ) { store in
      try store.expect(
        "INSERT INTO g (k, a, b) VALUES (1, 10, 2)", ["insert g (1) a = 10, b = 2.0, k = 1"])
      try store.expect("UPDATE g SET a = 11", ["update g (1) a = 11"])
      try store.expect("UPDATE g SET b = 3", ["update g (1) b = 3.0"])
      try store.expect(
        "UPDATE g SET k = 2",
        [
          "delete g (1)", "insert g (2) a = 11, b = 3.0, k = 2",
        ])
      try store.expectRows("SELECT * FROM g", ["2, 12, 22, 11, '3.0!', 3.0, 2"])
      try store.expect("DELETE FROM g", ["delete g (2)"])
    }
    try withStore(
      """
      CREATE TABLE g (k1 TEXT, v AS (a || k2), k2 TEXT, a, s AS (a) STORED, b,
        PRIMARY KEY (k1, k2)) WITHOUT ROWID
      """
    ) { store in
      try store.expect(
        "INSERT INTO g (k1, k2, a, b) VALUES ('p', 'q', 1, 2)",
        ["insert g ('p', 'q') a = 1, b = 2, k1 = 'p', k2 = 'q'"])
      try store.expect("UPDATE g SET b = 3", ["update g ('p', 'q') b = 3"])
      try store.expect("UPDATE g SET a = 0", ["update g ('p', 'q') a = 0"])
      try store.expect("DELETE FROM g", ["delete g ('p', 'q')"])
    }
  }

  @Test func `numbers behind virtual columns are not taken for others`() throws {
    let script = """
      CREATE TABLE g (k INTEGER PRIMARY KEY, v AS (i + 1), x REAL, i INTEGER, u, y REAL, n NUMERIC);
      INSERT INTO g (k, x, i, u, y, n) VALUES (1, 1, 5, 6, 7, 8)
      """
    try withStore(script) { store in
      try store.expect("UPDATE g SET x = 2", ["update g (1) x = 2.0"])
      try store.expect("UPDATE g SET i = 5, u = 6, y = 7, n = 8", [])
      try store.expect("UPDATE g SET u = 6.0", ["update g (1) u = 6.0"])
      try store.expect("UPDATE g SET u = 6", ["update g (1) u = 6"])
      try store.expect("UPDATE g SET u = 7, x = 3", ["update g (1) u = 7, x = 3.0"])
      try store.expect("UPDATE g SET i = 9007199254740993", ["update g (1) i = 9007199254740993"])
      try store.expect("UPDATE g SET i = 9007199254740992", ["update g (1) i = 9007199254740992"])
      try store.expect("UPDATE g SET n = 9, y = 1", ["update g (1) n = 9, y = 1.0"])
      try store.expectRows(
        "SELECT * FROM g", ["1, 9007199254740993, 3.0, 9007199254740992, 7, 1.0, 9"])
      try store.expect(
        "UPDATE g SET k = 3",
        [
          "delete g (1)",
          "insert g (3) i = 9007199254740992, k = 3, n = 9, u = 7, x = 3.0, y = 1.0",
        ])
    }
    // The key is the second column that is stored, and nothing is in the place of the fourth.
    try withStore(
      "CREATE TABLE g (a, v AS (a), k INTEGER PRIMARY KEY); INSERT INTO g (k, a) VALUES (1, 2)"
    ) { store in
      try store.expect("UPDATE g SET a = 3", ["update g (1) a = 3"])
      try store.expect("INSERT INTO g (k, a) VALUES (7, 3)", ["insert g (7) a = 3, k = 7"])
      try store.expect(
        "UPDATE g SET k = 8 WHERE k = 7", ["delete g (7)", "insert g (8) a = 3, k = 8"])
    }
  }

  @Test func `large blobs and transactions in many pieces are whole`() throws {
    try withStore("CREATE TABLE b (k INTEGER PRIMARY KEY, x BLOB)") { store in
      let large = [UInt8](repeating: 7, count: 5_000_000)
      let inserted = try store.write { try $0.execute("INSERT INTO b VALUES (1, ?)", large) }
      #expect(inserted.count == 1)
      let record = try #require(try store.record(SequenceNumber(1)))
      #expect(record.changes[0].values["x"] == .blob(large))

      let changes = try store.write { database in
        for key in 2...3000 {
          let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: key)
          try database.execute("INSERT INTO b VALUES (?, ?)", key, bytes)
        }
        // Not in order: the record is worked out at the end.
        try database.execute("UPDATE b SET x = x'' WHERE k = 2; DELETE FROM b WHERE k = 3")
      }
      #expect(changes.count == 2998)
      let pieces = try store.store.service {
        try $0.integer("SELECT count(*) FROM tributary_outbox_piece WHERE sequence = 2")
      }
      #expect(pieces ?? 0 >= 1)
      let many = try #require(try store.record(SequenceNumber(2)))
      #expect(many.changes.count == 2998)
      let updated = try store.write("UPDATE b SET x = substr(x, 1, 4999999) WHERE k = 1")
      #expect(updated.count == 1)
    }
  }
}
