import Testing
import Tributary
import TributaryTesting

/// How an application gives values to statements, and reads rows.
struct ArgumentTests {
  private func withStore(_ body: (Store) throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let schema: Schema = [
        Migration(
          name: "1",
          sql: "CREATE TABLE t (k INTEGER PRIMARY KEY, v, w TEXT UNIQUE CHECK (w <> 'no'))")
      ]
      let store = try await Devices(in: directory).open("a", schema: schema)
      defer { store.close() }
      try body(store)
    }
  }

  @Test func `values are given one by one, in an array, or by name`() async throws {
    try await withStore { store in
      let values: [Value] = [3, "c", nil as Value? ?? .null]
      let bytes: [UInt8] = [0, 255]
      let (k, w) = (4, "d")
      try store.write { db in
        try db.execute("INSERT INTO t VALUES (?, ?, ?)", 1, bytes, "a")
        try db.execute("INSERT INTO t (k, w) VALUES (?, ?)", [2, nil])
        try db.execute("INSERT INTO t VALUES (?, ?, ?)", values)
        try db.execute("INSERT INTO t (k, w, v) VALUES (:k, @w, $k)", ["w": w, "k": k])
        try db.execute("INSERT INTO t (k) VALUES (?)", [5])
        let statement = try db.prepare("INSERT INTO t VALUES (:k, :v, NULL)")
        for number in 6...7 { try statement.run(["k": number, ":v": 0.5]) }
      }
      let rows = try store.read { try $0.query("SELECT k, v, w FROM t ORDER BY k") }
      #expect(
        rows.map(\.description) == [
          "k: 1, v: x'00ff', w: 'a'", "k: 2, v: NULL, w: NULL", "k: 3, v: 'c', w: NULL",
          "k: 4, v: 4, w: 'd'", "k: 5, v: NULL, w: NULL", "k: 6, v: 0.5, w: NULL",
          "k: 7, v: 0.5, w: NULL",
        ])
      #expect(
        try store.read { try $0.query("SELECT k FROM t WHERE w = ?", ["a"])[0]["k"]?.integerValue }
          == 1)
    }
  }

  @Test func `arrays of values serve everywhere, and columns are read as Swift's types`()
    async throws
  {
    struct Pair: Decodable, Equatable {
      var k: Int
      var w: String?
    }
    try await withStore { store in
      let values: [[Value]] = [[1, 1, "a"], [2, 2.5, .null]]
      try store.write { db in
        let statement = try db.prepare("INSERT INTO t VALUES (?, ?, ?)")
        for row in values { try statement.run(row) }
        try db.execute("INSERT INTO t VALUES (?, ?, ?)", Int16(3), Float(0.5), "bc".prefix(1))
        let chosen: [Value] = [2]
        let above = try db.prepare("SELECT k, w FROM t WHERE k >= ?")
        #expect(try above.query(chosen).map { $0.integer("k") } == [2, 3])
        var seen: [Int64?] = []
        try above.forEach(chosen) { seen.append($0.integer(at: 0)) }
        #expect(seen == [2, 3])
        #expect(
          try db.query(Pair.self, "SELECT k, w FROM t WHERE k >= ?", chosen)
            == [Pair(k: 2, w: nil), Pair(k: 3, w: "b")])
      }
      let rows = try store.read { try $0.query("SELECT k, v, w FROM t ORDER BY k") }
      #expect(rows.map { $0.value("v", as: Double.self) } == [1, 2.5, 0.5])
      #expect(rows.map { $0.value("v", as: Int.self) } == [1, nil, nil])
      #expect(rows.map { $0.value("v", as: Bool.self) } == [true, nil, nil])
      #expect(rows.map { $0.value("w", as: String.self) } == ["a", nil, "b"])
    }
  }

  @Test func `the first row is one, however the values are given, and a query ends there`()
    async throws
  {
    struct Pair: Decodable, Equatable {
      var k: Int
      var w: String?
    }
    try await withStore { store in
      try store.write { db in
        for k in 1...3 { try db.execute("INSERT INTO t VALUES (?, ?, ?)", k, k * 10, "w\(k)") }
        let sql = "SELECT k, w FROM t WHERE k > ? ORDER BY k"
        let value: [Value] = [1]
        #expect(try db.first(sql, 1)?.values == [2, "w2"])
        #expect(try db.first(sql, [1])?.values == [2, "w2"])
        #expect(try db.first(sql, value)?.values == [2, "w2"])
        #expect(try db.first("SELECT k FROM t WHERE k = :k", ["k": 9]) == nil)
        #expect(try db.first(Pair.self, sql, 1) == Pair(k: 2, w: "w2"))
        #expect(try db.first(Pair.self, sql, [3]) == nil)
        #expect(try db.first(Pair.self, sql, value) == Pair(k: 2, w: "w2"))
        #expect(try db.first(Int.self, "SELECT count(*) FROM t") == 3)
        let statement = try db.prepare(sql)
        #expect(try statement.first(value)?.values == [2, "w2"])
        #expect(try statement.first([3]) == nil)
        #expect(try statement.first(Pair.self, [2]) == Pair(k: 3, w: "w3"))
        #expect(try statement.first(Pair.self, value) == Pair(k: 2, w: "w2"))
        // Endless but for that.
        let endless =
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        #expect(try db.first(Int.self, endless) == 1)
        // What writes goes on to its end.
        #expect(try db.first("UPDATE t SET v = 0 RETURNING k")?.values == [1])
        #expect(try db.query(Int.self, "SELECT DISTINCT v FROM t") == [0])
        // Values stand one by one, too, where rows become values of a type.
        #expect(
          try db.query(Pair.self, "SELECT k, w FROM t WHERE k IN (?, ?)", 1, 7).map(\.k) == [1])
        var seen: [Int64?] = []
        try db.forEach(sql, value) { seen.append($0.integer(at: 0)) }
        try db.forEach(Pair.self, sql, value) { seen.append(Int64($0.k)) }
        #expect(seen == [2, 3, 2, 3])
      }
    }
  }

  @Test func `each type that can be given can be read back, unless the value does not fit`()
    async throws
  {
    try await withStore { store in
      let row = try store.read {
        try $0.query("SELECT 200 AS a, -1 AS b, 0.5 AS c, 1e300 AS d, 1e999 AS e")[0]
      }
      #expect(row.value("a", as: Int8.self) == nil && row.value("b", as: Int8.self) == -1)
      #expect(row.value("a", as: Int16.self) == 200 && row.value("d", as: Int16.self) == nil)
      #expect(row.value("a", as: UInt16.self) == 200 && row.value("b", as: UInt16.self) == nil)
      #expect(row.value("a", as: UInt32.self) == 200 && row.value("b", as: UInt32.self) == nil)
      #expect(row.value("c", as: Float.self) == 0.5 && row.value("d", as: Float.self) == nil)
      #expect(row.value("e", as: Float.self) == .infinity)
    }
  }

  @Test(arguments: [
    ("SELECT :a, :b", ["a": 1], "there is no value for parameter :b"),
    ("SELECT :a", ["a": 1, "c": 2], "the statement has no parameter c"),
    ("SELECT ?", ["a": 1], "parameter 1 has no name, and values were given by name"),
  ])
  func `a parameter without a value, and a value without a parameter, are named`(
    sql: String, values: [String: Value], message: String
  ) async throws {
    try await withStore { store in
      #expect {
        try store.read { try $0.query(sql, Arguments(values)) }
      } throws: {
        ($0 as? SQLiteError)?.message == message
      }
    }
  }

  @Test func `rows are lent one at a time, and the last inserted one is known`() async throws {
    try await withStore { store in
      try store.write { db in
        for number in 1...1000 { try db.execute("INSERT INTO t (v) VALUES (?)", number) }
        #expect(try db.lastInsertedRowID == 1000)
      }
      try store.read { db in
        var sum: Int64 = 0
        var last: Row?
        try db.forEach("SELECT k, v, w, 0.5, 'x' FROM t WHERE k > ?", [10]) { row in
          sum += row.integer(at: 1) ?? 0
          #expect(row.count == 5 && row.isNull(at: 2) && row.real(at: 3) == 0.5)
          #expect(row.string(at: 4) == "x" && row.withBytes(at: 4) { $0.count } == 1)
          last = row.copy()
        }
        #expect(sum == 500_500 - 55)
        #expect(last?.values == [1000, 1000, .null, 0.5, "x"])
        let statement = try db.prepare("SELECT k FROM t WHERE k < ?")
        #expect(try statement.query([3]).map(\.values) == [[1], [2]])
        #expect(try statement.query([2]).map(\.values) == [[1]])
      }
    }
  }

  @Test func `columns of a lent row are found by name, byte by byte`() async throws {
    try await withStore { store in
      try store.read { db in
        var count = 0
        let sql = """
          SELECT 7 AS a, 0.5 AS b, 'x' AS c, x'00ff' AS d, NULL AS e, 8 AS a, 1 AS "\u{E9}"
          UNION ALL SELECT 'y', 1, 2, 3, 4, 5, 6
          """
        try db.forEach(sql) { row in
          count += 1
          // A row that is kept says the same.
          let kept = row.copy()
          for name in row.columns + ["none", "A", "e\u{301}"] {
            #expect(row[name] == kept[name])
            #expect(row.integer(name) == kept.integer(name))
            #expect(row.real(name) == kept.real(name))
            #expect(row.string(name) == kept.string(name))
            #expect(row.blob(name) == kept.blob(name))
            #expect(row.value(name, as: Int.self) == kept.value(name, as: Int.self))
          }
          #expect(row["none"] == nil && row["A"] == nil && row["e\u{301}"] == nil)
          guard count == 1 else { return }
          #expect(row["a"] == 7 && row.integer("a") == 7 && row.real("a") == 7)
          #expect(row.real("b") == 0.5 && row.string("c") == "x" && row.blob("d") == [0, 255])
          #expect(row["e"] == .null && row.integer("\u{E9}") == 1)
        }
        #expect(count == 2)
      }
    }
  }

  @Test func `what a failed savepoint has written is undone, and nothing else`() async throws {
    try await withStore { store in
      struct Refusal: Error {}
      try store.write { db in
        try db.execute("INSERT INTO t (k) VALUES (1)")
        #expect(throws: Refusal.self) {
          try db.savepoint {
            try db.execute("INSERT INTO t (k) VALUES (2)")
            try db.savepoint { try db.execute("INSERT INTO t (k) VALUES (3)") }
            throw Refusal()
          }
        }
        let inner = try db.savepoint {
          try db.execute("INSERT INTO t (k) VALUES (4)")
          try? db.savepoint {
            try db.execute("INSERT INTO t (k) VALUES (5)")
            throw Refusal()
          }
          return try db.query("SELECT count(*) FROM t")[0][0]
        }
        #expect(inner == 2)
      }
      #expect(
        try store.read { try $0.query("SELECT k FROM t ORDER BY k").map(\.values) } == [[1], [4]])
    }
  }

  @Test(arguments: [
    ("INSERT INTO t (k, w) VALUES (2, 'a')", SQLiteError.Constraint.Kind.unique, ["t.w"]),
    ("INSERT INTO t (k) VALUES (1)", .primaryKey, ["t.k"]),
    ("INSERT INTO t (w) VALUES ('no')", .check, ["w <> 'no'"]),
  ])
  func `a violated constraint is a value`(
    sql: String, kind: SQLiteError.Constraint.Kind, names: [String]
  ) async throws {
    try await withStore { store in
      try store.write { try $0.execute("INSERT INTO t (k, w) VALUES (1, 'a')") }
      let error = #expect(throws: SQLiteError.self) { try store.write { try $0.execute(sql) } }
      #expect(error?.constraint == .init(kind: kind, names: names))
    }
  }
}
