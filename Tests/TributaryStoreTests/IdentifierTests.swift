import Testing
import TributaryCore
import TributaryStore

struct IdentifierTests {
  @Test func `tributary_id gives keys wherever keys are made`() throws {
    try withStore(
      """
      CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY DEFAULT (tributary_id()), a) WITHOUT ROWID;
      CREATE TABLE u (k INTEGER PRIMARY KEY, a);
      CREATE TABLE log (k INTEGER PRIMARY KEY, what);
      CREATE TRIGGER ti AFTER INSERT ON t BEGIN INSERT INTO log VALUES (tributary_id(), new.a); END;
      """
    ) { store in
      _ = try store.write(
        """
        WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
        INSERT INTO t (a) SELECT n FROM i;
        INSERT INTO u SELECT tributary_id(), a FROM t;
        """)
      for table in ["t", "u", "log"] {
        #expect(
          try store.rows(
            """
            SELECT count(DISTINCT k), min(k) > 0, max(k) < 1 << 62, max(k) > 1 << 61,
              min(typeof(k)) FROM \(table)
            """) == ["1000, 1, 1, 1, 'integer'"])
      }
      #expect(try store.rows("SELECT tributary_id() <> tributary_id()") == ["1"])
      var values: [String] = []
      try store.store.run(script: "SELECT typeof(tributary_id())") { row in
        values.append(row.string(0))
      }
      #expect(values == ["integer"])
    }
  }
}
