import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

struct ChosenKeyTests {
  @Test(arguments: [
    ("a UNIQUE, b NOT NULL UNIQUE, c NOT NULL, UNIQUE (c, b)", "the UNIQUE key (b)"),
    ("a NOT NULL, b NOT NULL, UNIQUE (b, a), UNIQUE (a)", "the UNIQUE key (b, a)"),
    ("a UNIQUE, b UNIQUE", "the UNIQUE key (a)"),
    ("a, b", "themselves"),
    ("a NOT NULL COLLATE NOCASE UNIQUE, b", "the UNIQUE key (a)"),
    ("a, b NOT NULL, g NOT NULL AS (a) UNIQUE", "themselves"),
  ])
  func `the first UNIQUE key takes the place of a primary key, NOT NULL ones before others`(
    columns: String, choice: String
  ) throws {
    try withStore("CREATE TABLE t (\(columns))") { store in
      let keys = try store.store.schema().chosenKeys
      #expect(keys.map(\.description) == ["rows of t are known by \(choice)"])
    }
  }

  @Test func `a column of a key may have an empty name`() throws {
    try withStore("CREATE TABLE t (a NOT NULL, \"\" NOT NULL, b, UNIQUE (\"\", a))") { store in
      let keys = try store.store.schema().chosenKeys
      #expect(keys.map(\.description) == ["rows of t are known by the UNIQUE key (, a)"])
    }
  }

  @Test func `keys of some rows or of computed values do not count, and NULL in one rules it out`()
    throws
  {
    try withStore(
      """
      CREATE TABLE t (a NOT NULL, b, c);
      CREATE UNIQUE INDEX some ON t (a) WHERE a > 1;
      CREATE UNIQUE INDEX computed ON t (a + 1);
      CREATE UNIQUE INDEX empty ON t (b);
      CREATE UNIQUE INDEX full ON t (c, a);
      INSERT INTO t VALUES (1, NULL, 1), (2, 5, 2)
      """
    ) { store in
      #expect(
        try store.store.schema().chosenKeys.map(\.description)
          == ["rows of t are known by the UNIQUE key (c, a)"])
      store.forgetHistory()
      try store.expect("UPDATE t SET b = 7 WHERE a = 1", ["update t (1, 1) b = 7"])
      try store.expectFailure(
        "INSERT INTO t VALUES (3, 3, NULL)",
        "a row of table t has NULL in the UNIQUE key by which its rows are known")
      // Others have the choice from this store.
      try store.expectFailure(
        "DROP INDEX full; INSERT INTO t VALUES (3, 3, 3)",
        "the UNIQUE key (c, a), by which its rows are known, is missing")
      #expect(
        try store.store.mergeOptions()["t"].knownBy == .unique([SQLName("c"), SQLName("a")]))
    }
  }

  @Test func `the row identifier is the key of a table without any, under a name that is free`()
    throws
  {
    try withStore(
      """
      CREATE TABLE t (a, b AS (a + 1)); CREATE TABLE u (_ROWID_, rowid);
      INSERT INTO t VALUES (1), (1); INSERT INTO u VALUES (5, 6)
      """
    ) { store in
      #expect(
        try store.store.schema().tables.map(\.shape.columns)
          == [["_rowid_", "a"], ["oid", "_ROWID_", "rowid"]])
      store.forgetHistory()
      try store.expect("UPDATE t SET a = 2 WHERE rowid = 2", ["update t (2) a = 2"])
      try store.expect(
        "UPDATE t SET rowid = 9 WHERE a = 2", ["delete t (2)", "insert t (9) _rowid_ = 9, a = 2"])
      try store.expect("DELETE FROM u", ["delete u (1)"])
    }
  }

  @Test func `a declared rowid goes before a UNIQUE key, and not before a primary key`() throws {
    try withStore(
      "CREATE TABLE t (a NOT NULL UNIQUE)",
      merge: MergeOptions(tables: ["T": TableMerge(knownBy: .rowIdentifier)])
    ) { store in
      let schema = try store.store.schema()
      #expect(schema.chosenKeys.map(\.description) == ["rows of t are known by the rowid"])
      #expect(schema.tables[0].numbersItsRows)
    }
    #expect(throws: StoreError.self) {
      try withStore(
        "CREATE TABLE t (a PRIMARY KEY)",
        merge: MergeOptions(tables: ["t": TableMerge(knownBy: .rowIdentifier)])
      ) { _ in }
    }
  }
}
