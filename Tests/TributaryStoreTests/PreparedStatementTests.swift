import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

struct PreparedStatementTests {
  private static let insert = "INSERT INTO t VALUES (?, ?)"

  private func withStore(_ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let recorder = try Recorder("CREATE TABLE t (id INTEGER PRIMARY KEY, x)", in: directory)
      try body(recorder.store)
    }
  }

  private func rows(_ store: LocalStore) throws -> [[Value]] {
    try store.read { try $0.query("SELECT * FROM t ORDER BY id").map(\.values) }
  }

  @Test
  func `a run uses its parameters up: the next one wants all of them again`() throws {
    try withStore { store in
      try store.write { db in
        let statement = try db.prepare(Self.insert)
        try statement.bind(1, at: 1)
        try statement.bind("secret", at: 2)
        try statement.run()
        let error = try #require(throws: SQLiteError.self) { try statement.run() }
        #expect(error.message == "2 parameters wanted, 0 given")
        try statement.bind(2, at: 1)
        let second = try #require(throws: SQLiteError.self) { try statement.run() }
        #expect(second.message == "2 parameters wanted, 1 given")
        // What failed has used them up too, and their order is free.
        try statement.bind("two", at: 2)
        try statement.bind("two", at: 2)
        #expect(throws: SQLiteError.self) { try statement.run() }
        try statement.bind("two", at: 2)
        try statement.bind(2, at: 1)
        try statement.run()
        try statement.run(3, "three")
        #expect(throws: SQLiteError.self) { try statement.run(4) }
        #expect(throws: SQLiteError.self) { try statement.run(4, 5, 6) }
        #expect(throws: SQLiteError.self) { try statement.run() }
      }
      #expect(try rows(store) == [[1, "secret"], [2, "two"], [3, "three"]])
    }
  }

  @Test
  func `values never pass to another use of one text`() throws {
    try withStore { store in
      try store.write { db in
        let statement = try db.prepare(Self.insert)
        try statement.bind(1, at: 1)
        try statement.bind("secret", at: 2)
      }
      try store.write { db in
        let statement = try db.prepare(Self.insert)
        #expect(throws: SQLiteError.self) { try statement.run() }
        try db.prepare(Self.insert).bind("secret", at: 2)
        try statement.bind(2, at: 1)
        #expect(throws: SQLiteError.self) { try statement.run() }
        #expect(throws: SQLiteError.self) { try db.execute(Self.insert) }
        #expect(throws: SQLiteError.self) { try db.execute(Self.insert, 3) }
        #expect(throws: SQLiteError.self) { try db.query(Self.insert) }
        #expect(throws: SQLiteError.self) { try db.query(Self.insert, 3) }
      }
      #expect(try rows(store) == [])
    }
  }

  @Test
  func `two statements of one text at a time keep their own parameters`() throws {
    try withStore { store in
      try store.write { db in
        let first = try db.prepare(Self.insert)
        let second = try db.prepare(Self.insert)
        try first.bind(1, at: 1)
        try second.bind(2, at: 1)
        try first.bind("one", at: 2)
        try second.bind("two", at: 2)
        try db.execute(Self.insert, 3, "three")
        try first.run()
        try second.run()
      }
      #expect(try rows(store) == [[1, "one"], [2, "two"], [3, "three"]])
    }
  }

  @Test
  func `the application's statements have its rights, whatever was prepared from the same text`()
    throws
  {
    try withStore { store in
      let sql = "DELETE FROM tributary_schema WHERE rowid = ?"
      try store.write { db in
        _ = try? db.connection.cached(sql)
        #expect(throws: (any Error).self) { try db.execute(sql, 1) }
        #expect(throws: (any Error).self) { try db.prepare(sql) }
      }
    }
  }

  @Test
  func `what a closure was lent is of no use after it, also when the store is closed`() throws {
    try withStore { store in
      var kept: (Database, PreparedStatement)?
      try store.write { db in
        kept = (db, try db.prepare(Self.insert))
        try kept?.1.run(1, "one")
      }
      let (database, statement) = try #require(kept)
      func checkUseless() {
        let calls: [() throws -> Void] = [
          { try statement.bind(1, at: 1) }, { try statement.bind(0.5, at: 1) },
          { try statement.bind("text", at: 2) }, { try statement.bindNull(at: 2) },
          { try statement.bind(borrowedText: UnsafeRawBufferPointer(start: nil, count: 0), at: 1) },
          { try statement.bind(borrowedBlob: UnsafeRawBufferPointer(start: nil, count: 0), at: 1) },
          { try statement.run() }, { try statement.run(1, 2) },
          { try database.execute("DELETE FROM t") }, { try database.execute("") },
          { try database.execute("DELETE FROM t WHERE id = ?", 1) },
          { _ = try database.query("SELECT 1") }, { _ = try database.prepare("SELECT 1") },
          { _ = try database.version },
        ]
        for call in calls {
          let error = #expect(throws: StoreError.self) { try call() }
          #expect(error?.code == .misuse)
        }
        #expect(database.changes == 1)
      }
      checkUseless()
      // The connection is in use again, by another.
      try store.write { db in
        checkUseless()
        try db.execute("DELETE FROM t")
      }
      store.close()
      checkUseless()
    }
  }

  @Test
  func `a statement prepared very often in one closure leaves nothing behind`() throws {
    try withStore { store in
      try store.write { db in
        for number in 0..<1000 { try db.prepare(Self.insert).run(Int64(number), number % 7) }
      }
      #expect(try rows(store).count == 1000)
    }
  }

  @Test
  func `a query sees the columns that a table has got since it was prepared`() throws {
    try withStore { store in
      try store.write { db in
        try db.execute(Self.insert, 1, "one")
        #expect(try db.query("SELECT * FROM t")[0].columns == ["id", "x"])
        try db.execute("ALTER TABLE t ADD COLUMN y DEFAULT 5")
        let row = try db.query("SELECT * FROM t")[0]
        #expect(row.columns == ["id", "x", "y"])
        #expect(row.values == [1, "one", 5])
        for index in [Int.min, -1, 3, .max] {
          let error = #expect(throws: StoreError.self) { try row.value(at: index) }
          #expect(error?.code == .misuse)
        }
        #expect(try row.value(at: 2) == 5)
      }
    }
  }
}
