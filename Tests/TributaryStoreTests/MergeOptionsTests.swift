import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

struct MergeOptionsTests {
  @Test(arguments: [
    ("a, b", false), ("a CHECK (a > 0), b", false), ("a, b, CHECK (a > 0)", true),
    ("a CHECK (a > b), b", true), ("a CONSTRAINT c CHECK (\"B\" <> 'x'), b", true),
    ("a CHECK (a <> 'b'), b", false), ("a DEFAULT ('CHECK (b)'), b", false),
    ("a, b, CONSTRAINT c UNIQUE (a, b) CHECK (a < b)", true), ("a, b, UNIQUE (a, b)", false),
    ("\"check\" INT, b", false), ("a /* , CHECK (a > b) */, b -- CHECK (b)\n", false),
    ("a, b AS (a + 1) CHECK (b > 0)", true), ("a, b AS (a + 1) STORED NOT NULL", true),
    ("a, b AS (a + 1)", false), ("b CHECK (length(b) > 1), length", false),
    ("[a] TEXT COLLATE NOCASE NOT NULL CHECK (a IN ('x', 'it''s')), b", false),
  ])
  func `a CHECK that concerns more than its column merges by row`(columns: String, byRow: Bool)
    throws
  {
    try withStore("CREATE TABLE \"t (\" (k INTEGER PRIMARY KEY, \(columns))") { store in
      let table = try #require(try store.store.schema().tables.first)
      #expect(table.mergesByRow == byRow)
      #expect(table.policies == Array(repeating: .latest, count: table.shape.columns.count))
    }
  }

  @Test func `keys that SQLite counts are told from those that mean one row`() throws {
    try withStore(
      """
      CREATE TABLE a (k INTEGER PRIMARY KEY);
      CREATE TABLE b (k INTEGER PRIMARY KEY REFERENCES a);
      CREATE TABLE c (k INTEGER PRIMARY KEY);
      CREATE TABLE d (k INT PRIMARY KEY);
      CREATE TABLE e (k INTEGER PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE f (k INTEGER PRIMARY KEY, l, FOREIGN KEY (k, l) REFERENCES g (k, l));
      CREATE TABLE g (k INTEGER, l, PRIMARY KEY (k, l));
      """, merge: MergeOptions(tables: ["C": TableMerge(keys: .natural)])
    ) { store in
      let tables = try store.store.schema().tables
      #expect(tables.filter(\.numbersItsRows).map(\.name) == ["a", "f"])
      #expect(tables.filter(\.hasNaturalKeys).map(\.name) == ["c"])
    }
  }

  @Test(arguments: [
    ("x", TableMerge(merge: .row), "no table x"),
    ("cache", TableMerge(merge: .row), "no table cache"),
    ("t", TableMerge(columns: ["x": .max]), "no column x"),
    ("t", TableMerge(columns: ["k": .max]), "primary key"),
    ("t", TableMerge(columns: ["g": .max]), "generated"),
    ("t", TableMerge(columns: ["a": .counter]), "not an integer column"),
    ("t", TableMerge(columns: ["n": .counter, "N": .max]), "declared twice"),
    ("c", TableMerge(merge: .column), "by row"),
  ])
  func `what cannot be is refused by name`(table: String, merge: TableMerge, part: String) throws {
    do {
      try withStore(
        """
        CREATE TABLE t (k INTEGER PRIMARY KEY, a, n INTEGER, g AS (a));
        CREATE TABLE c (k INTEGER PRIMARY KEY, a CHECK (a < b), b);
        CREATE TABLE cache (k INTEGER PRIMARY KEY);
        """, selection: .except(["cache"]), merge: MergeOptions(tables: [table: merge])
      ) { _ in }
      Issue.record("it must be refused")
    } catch let error as StoreError {
      #expect(error.code == .mergeOptions)
      #expect(error.message.contains(part), "\(error)")
    }
  }

  @Test func `a table cannot be declared twice`() throws {
    #expect(throws: StoreError.self) {
      try withStore(
        "CREATE TABLE t (k INTEGER PRIMARY KEY)",
        merge: MergeOptions(tables: ["t": TableMerge(), "T": TableMerge(merge: .row)])
      ) { _ in }
    }
  }

  @Test func `rows that are no counts are refused when they are adopted`() throws {
    #expect(throws: StoreError.self) {
      try withStore(
        "CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 'x')",
        merge: MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])])
      ) { _ in }
    }
  }

  @Test func `a table can be declared until it is written, and then only the same again`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)") { store in
      let counter = MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])])
      let maximum = MergeOptions(tables: ["T": TableMerge(columns: ["N": .max])])
      try store.store.declare(maximum)
      try store.store.declare(counter)
      // The writer, which has read the tables before, follows.
      _ = try store.write("INSERT INTO t VALUES (1, 1)")
      store.forgetHistory()
      try store.expect("UPDATE t SET n = 5", ["update t (1) n = 4"])
      try store.store.declare(counter)
      #expect(throws: StoreError.self) { try store.store.declare(maximum) }
      try store.expect("UPDATE t SET n = 4", ["update t (1) n = -1"])
      #expect(try store.store.mergeOptions()["t"].policy(of: "n") == .counter)
    }
  }

  @Test func `a migration may make tables that are declared, and write them`() throws {
    try withStore("CREATE TABLE t (k INTEGER PRIMARY KEY)") { store in
      store.forgetHistory()
      try store.store.migrate(
        [
          Migration(
            name: "1",
            sql: """
              CREATE TABLE u (k INTEGER PRIMARY KEY, n INTEGER);
              INSERT INTO u VALUES (1, 5); UPDATE u SET n = 7
              """)
        ], declaring: MergeOptions(tables: ["u": TableMerge(columns: ["n": .counter])]))
      let record = try #require(try store.record(store.last()))
      #expect(record.changes.map(\.description) == ["insert u (1) k = 1, n = 7"])
      try store.expect("UPDATE u SET n = 9", ["update u (1) n = 2"])
    }
  }

  @Test func `values are ordered as SQLite orders them`() throws {
    let connection = try Connection(path: ":memory:", mode: .create)
    let values: [Value] = [
      .null, .integer(.min), .integer(-1), .integer(0), .integer(1), .integer(.max),
      .integer(.max - 1), .integer(1 << 53), .integer(1 << 53 + 1), .real(-0.0), .real(0.5),
      .real(-0.5), .real(1), .real(0x1p53), .real(0x1p63), .real(-0x1p63), .real(.infinity),
      .real(-.infinity), .real(9e18), .text([]), .text([0]), .text([0x61]), .text([0xFF]),
      .blob([]), .blob([0]), .blob([0x61]),
    ]
    for old in values {
      for new in values {
        // NULL loses either way.
        let larger = try connection.integer("SELECT ?2 IS NULL OR ?1 >= ?2", new, old) == 1
        let smaller = try connection.integer("SELECT ?2 IS NULL OR ?1 <= ?2", new, old) == 1
        #expect(ColumnPolicy.max.prevails(new, over: old) == larger, "\(new), \(old)")
        #expect(ColumnPolicy.min.prevails(new, over: old) == smaller, "\(new), \(old)")
        #expect(ColumnPolicy.latest.prevails(new, over: old))
      }
    }
  }
}
