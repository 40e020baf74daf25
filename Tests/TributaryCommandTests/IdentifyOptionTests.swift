import Foundation
import Testing
import TributaryTesting

/// What makes rows the same, as the command takes it.
struct IdentifyOptionTests {
  private static let schema = """
    CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, lower TEXT AS (lower(name)) VIRTUAL);
    CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE post_tag (post INTEGER REFERENCES post (id), tag INTEGER REFERENCES tag (id),
      PRIMARY KEY (post, tag)) WITHOUT ROWID;
    CREATE TABLE word (word TEXT PRIMARY KEY, note TEXT);
    CREATE TABLE line (text TEXT);
    """

  private func with(_ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(Self.schema, to: "schema.sql")
      try body(stores)
    }
  }

  private func create(_ name: String, _ stores: StoreFixture, _ options: [String]) -> Invocation {
    Invocation(
      words: [
        "attach", stores.path(name), "--container", stores.container, "--name", "Library",
        "--schema", stores.directory + "/schema.sql",
      ] + options)
  }

  @Test func `tags that two devices make are one, and posts keep theirs`() throws {
    try with { stores in
      let rehearsed = create("a", stores, ["--identify", "tag=name", "--dry-run"])
      #expect(rehearsed.status == .done, "\(rehearsed.errors)")
      #expect(
        rehearsed.output.contains("table tag merges with rows identified by name"),
        "\(rehearsed.output)")
      #expect(create("a", stores, ["--identify", "TAG=Name"]).status == .done)
      // Taken over.
      #expect(stores.attach("b").status == .done)
      for (name, tags) in [("a", ["red", "blue"]), ("b", ["blue", "green"])] {
        for tag in tags { stores.sql(name, "INSERT INTO tag (name) VALUES ('\(tag)')") }
        stores.sql(
          name,
          """
          INSERT INTO post (title) VALUES ('by \(name)');
          INSERT INTO post_tag SELECT p.id, t.id FROM post AS p, tag AS t
          """)
      }
      for name in ["a", "b", "a"] {
        let run = Invocation("sync", stores.path(name))
        #expect(run.status == .done, "\(run.errors)")
      }
      for name in ["a", "b"] {
        #expect(stores.sql(name, "SELECT name FROM tag ORDER BY 1") == "blue\ngreen\nred\n")
        #expect(
          stores.sql(
            name,
            """
            SELECT title, group_concat(name) FROM (
              SELECT p.title, t.name FROM post AS p JOIN post_tag ON post = p.id JOIN tag AS t ON t.id = tag
              ORDER BY 1, 2) GROUP BY 1
            """) == "by a\tblue,red\nby b\tblue,green\n")
        #expect(Invocation("verify", stores.path(name)).status == .done)
        #expect(Invocation("doctor", stores.path(name)).status == .done)
      }
      let digests = Set(["a", "b"].map { Invocation("digest", stores.path($0)).output })
      #expect(digests.count == 1)
      #expect(Invocation("rebuild", stores.path("b")).status == .done)
      #expect(Invocation("digest", stores.path("b")).output == digests.first)
      // It was written, and is what it is.
      let late = stores.attach("a", "--identify", "post=title")
      #expect(late.status == .failed)
      #expect(
        late.errors.contains("table post merges as usual and has been written so"), "\(late.errors)"
      )
      #expect(late.errors.contains("detach --remove-logs"), "\(late.errors)")
      #expect(stores.attach("a", "--identify", "tag=name").status == .done)
    }
  }

  @Test func `a unique key without NULL is suggested to the first device`() throws {
    try with { stores in
      try stores.write(
        """
        CREATE TABLE type (id INTEGER PRIMARY KEY, app TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (app, model));
        CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE word (word TEXT PRIMARY KEY, note TEXT NOT NULL UNIQUE);
        """, to: "schema.sql")
      let run = create("a", stores, ["--dry-run"])
      #expect(run.output.contains("--identify type=app,model"), "\(run.output)")
      #expect(!run.output.contains("--identify genre") && !run.output.contains("--identify word"))
      #expect(create("a", stores, ["--identify", "type=model,app"]).status == .done)
      #expect(
        stores.sql("a", "SELECT \"column\", rule FROM tributary_merge ORDER BY 1")
          == "app\tidentify\nmodel\tidentify\n")
      #expect(!stores.attach("b", "--dry-run").output.contains("to decide"))
    }
  }

  @Test(arguments: [
    ("word=note", [], "its rows have no numbers"),
    ("line=text", [], "its rows are known by themselves"),
    ("tag=lower", [], "the table stores no such column"),
    ("tag=colour", [], "the table stores no such column"),
    ("tag=id", [], "that is the number by which they are known"),
    (
      "tag=name", ["--positive-numbers", "tag"],
      "identified by values and take positive numbers too"
    ),
    ("tag=name", ["--natural-keys", "tag"], "its keys are declared natural"),
    ("missing=name", [], "there is no table missing that is replicated"),
  ])
  func `what cannot make rows the same is refused by name`(
    text: String, options: [String], reason: String
  ) throws {
    try with { stores in
      let run = create("a", stores, ["--identify", text] + options)
      #expect(run.status == .failed)
      #expect(run.errors.contains(reason), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: stores.path("a")))
    }
  }

  @Test(arguments: [["tag"], ["tag="], ["=name"], ["tag=name,"], ["tag=name", "tag=id"]])
  func `what says nothing, or two things, is a mistake`(texts: [String]) throws {
    try with { stores in
      let run = create("a", stores, texts.flatMap { ["--identify", $0] })
      #expect(run.status == .usage, "\(run.errors)")
    }
  }
}
