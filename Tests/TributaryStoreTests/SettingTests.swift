import Testing
import TributaryCore
import TributarySQLite
import TributaryStore

/// What pragmas change lasts as long as the closure that they stand in.
struct SettingTests {
  private static let table = "CREATE TABLE t (k INTEGER PRIMARY KEY, v CHECK (v <> 'bad'))"

  @Test(arguments: [
    "PRAGMA query_only = OFF", "PRAGMA query_only(0)", "PRAGMA main.query_only = no",
  ])
  func `nothing is written in read`(pragma: String) throws {
    try withStore(Self.table) { store in
      #expect(throws: StoreError.self) {
        try store.store.read { try $0.execute("\(pragma); INSERT INTO t VALUES (1, 'x')") }
      }
      #expect(throws: StoreError.self) {
        try store.store.read { database in
          _ = try database.query(pragma)
          _ = try database.query("INSERT INTO t VALUES (1, 'x') RETURNING k")
        }
      }
      #expect(throws: StoreError.self) {
        try store.store.read { try $0.execute("CREATE TEMP TABLE x (y)") }
      }
      try store.expectRows("SELECT * FROM t", [])
    }
  }

  @Test func `other databases are not attached in read`() throws {
    try withStore(Self.table) { store in
      for statement in ["ATTACH ':memory:' AS other", "DETACH main"] {
        do {
          try store.store.read { try $0.execute(statement) }
          Issue.record("\(statement) is refused")
        } catch let error as SQLiteError {
          #expect(error.message.contains("attached or detached"), "\(error)")
        }
      }
      let names = try store.store.read {
        try $0.query("PRAGMA database_list").map { $0.string("name") }
      }
      #expect(names == ["main"])
    }
  }

  @Test func `what one closure sets the next does not see`() throws {
    try withStore(Self.table) { store in
      func recursive(_ database: Database) throws -> Value {
        try database.query("PRAGMA recursive_triggers")[0][0]
      }
      for _ in 0..<2 {
        try store.store.read { database in
          #expect(try recursive(database) == 0)
          try database.execute("PRAGMA recursive_triggers = ON")
          #expect(try recursive(database) == 1)
        }
        try store.store.write { database in
          #expect(try recursive(database) == 0)
          try database.execute("PRAGMA recursive_triggers = ON; PRAGMA query_only = ON")
          #expect(try recursive(database) == 1)
          try database.execute("INSERT OR REPLACE INTO t VALUES (1, 'x')")
        }
      }
      try store.store.run(script: "PRAGMA foreign_keys = OFF") { _ in }
      let isOn = try store.store.write { try $0.query("PRAGMA foreign_keys")[0][0] }
      #expect(isOn == 1)
    }
  }

  @Test func `a CHECK holds in write whatever the pragma says`() throws {
    try withStore(Self.table) { store in
      #expect(throws: SQLiteError.self) {
        try store.store.write {
          try $0.execute("PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1, 'bad')")
        }
      }
      #expect(throws: SQLiteError.self) {
        try store.store.write {
          try $0.execute(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 't'")
        }
      }
      try store.expectRows("SELECT * FROM t", [])
    }
  }
}
