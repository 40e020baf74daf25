import Foundation
import Testing
import TributaryTesting

/// Displaced rows of programs that refuse negative numbers.
struct PositiveNumberTests {
  private static let wiki = """
    CREATE TABLE page (page_id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT);
    CREATE TABLE revision (id INTEGER PRIMARY KEY, page INTEGER REFERENCES page (page_id), text BLOB);
    CREATE TABLE word (word TEXT PRIMARY KEY);
    CREATE TABLE tag (word TEXT, id INTEGER PRIMARY KEY) WITHOUT ROWID;
    """

  private func with(_ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(Self.wiki, to: "schema.sql")
      try body(stores)
    }
  }

  private func create(_ name: String, _ stores: StoreFixture, _ options: String...) -> Invocation {
    Invocation(
      words: [
        "attach", stores.path(name), "--container", stores.container, "--name", "Library",
        "--schema", stores.directory + "/schema.sql",
      ] + options)
  }

  private func meet(_ stores: StoreFixture, _ names: String...) {
    for _ in 0..<2 {
      for name in names {
        let run = Invocation("sync", stores.path(name))
        #expect(run.status == .done, "\(run.errors)")
      }
    }
    #expect(Set(names.map { Invocation("digest", stores.path($0)).output }).count == 1)
    for name in names {
      let run = Invocation("verify", stores.path(name))
      #expect(run.status == .done, "\(run.output)")
    }
  }

  @Test func `displaced rows take positive numbers below two to the thirty-first on every device`()
    throws
  {
    try with { stores in
      let first = create(
        "a", stores, "--positive-numbers", "page", "--positive-numbers", "REVISION")
      #expect(first.status == .done, "\(first.errors)")
      // Taken over.
      #expect(stores.attach("b").status == .done)
      #expect(
        stores.sql("b", "SELECT lower(\"table\"), rule FROM tributary_merge ORDER BY 1")
          == "page\tpositive\nrevision\tpositive\n")
      for round in ["one", "two"] {
        for name in ["a", "b"] {
          stores.sql(
            name,
            """
            INSERT INTO page (title) VALUES ('\(round) of \(name)');
            INSERT INTO revision (page, text) SELECT max(page_id), '\(round) of \(name)' FROM page
            """)
        }
        meet(stores, "a", "b")
      }
      for name in ["a", "b"] {
        let joined = stores.sql(
          name,
          "SELECT title FROM page JOIN revision ON page = page_id WHERE text = title ORDER BY 1")
        #expect(joined == "one of a\none of b\ntwo of a\ntwo of b\n")
        for (table, key) in [("page", "page_id"), ("revision", "id")] {
          #expect(
            stores.sql(
              name,
              "SELECT count(*), min(\(key)) > 0, max(\(key)) < 1 << 30, max(\(key)) >= 1 << 29 FROM \(table)"
            ) == "4\t1\t1\t1\n")
        }
      }
      let before = stores.sql("b", "SELECT * FROM page ORDER BY 1")
      #expect(Invocation("rebuild", stores.path("b")).status == .done)
      #expect(stores.sql("b", "SELECT * FROM page ORDER BY 1") == before)
      let other = create("c", stores, "--positive-numbers", "page")
      #expect(other.status == .done, "\(other.errors)")
      meet(stores, "a", "b", "c")
    }
  }

  @Test(arguments: [
    ("word", [], "its rows have no numbers"),
    ("tag", [], "its rows have no numbers"),
    ("page", ["--natural-keys", "page"], "its keys are declared natural"),
    ("missing", [], "there is no table missing that is replicated"),
  ])
  func `a table without numbers of its own is refused by name`(
    table: String, options: [String], reason: String
  ) throws {
    try with { stores in
      let run = Invocation(
        words: [
          "attach", stores.path("a"), "--container", stores.container, "--name", "Library",
          "--schema", stores.directory + "/schema.sql", "--positive-numbers", table,
        ] + options)
      #expect(run.status == .failed)
      #expect(run.errors.contains(table), "\(run.errors)")
      #expect(run.errors.contains(reason), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: stores.path("a")))
    }
  }

  @Test func `on a store that is attached it is applied until a number was given twice`() throws {
    try with { stores in
      #expect(create("a", stores).status == .done)
      stores.sql(
        "a", "INSERT INTO page (title) VALUES ('a'); INSERT INTO revision (page) VALUES (1)")
      let later = stores.attach("a", "--positive-numbers", "page")
      #expect(later.status == .done, "\(later.errors)")
      #expect(stores.sql("a", "SELECT rule FROM tributary_merge") == "positive\n")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(stores.attach("b").status == .done)
      for name in ["a", "b"] { stores.sql(name, "INSERT INTO revision (text) VALUES ('\(name)')") }
      meet(stores, "a", "b")
      #expect(stores.sql("b", "SELECT count(*) FROM revision WHERE id < 0") == "1\n")
      let disagreeing = stores.attach("b", "--positive-numbers", "revision")
      #expect(disagreeing.status == .failed)
      #expect(
        disagreeing.errors.contains("do not agree how table revision merges"),
        "\(disagreeing.errors)")
      #expect(Invocation("detach", stores.path("b"), "--remove-logs").status == .done)
      let late = stores.attach("a", "--positive-numbers", "revision")
      #expect(late.status == .failed)
      #expect(
        late.errors.contains("rows of table revision were given numbers twice already"),
        "\(late.errors)")
    }
  }
}
