import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

struct AttachTests {
  @Test func `a store is created, joined, checked and detached`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(StoreFixture.schema, to: "schema.sql")
      let created = stores.attach(
        "a", "--schema", directory + "/schema.sql", "--peer-name", "A\u{7}")
      #expect(created.status == .done)
      #expect(created.output.hasPrefix("\(stores.path("a")): created; peer "))
      #expect(created.output.hasSuffix(" (A\u{7})\n"))
      let again = stores.attach("a")
      #expect(again.status == .done)
      #expect(again.output.contains(": attached already; peer "))
      let changed = stores.attach(
        "a", "--peer-name", "B", "--space-limit", "1M", "--capture", "hook")
      #expect(changed.output.contains("a.db: the name of this device: B, A\u{7} before\n"))
      #expect(changed.output.contains(": the limit of disk use: 1048576 bytes, none before\n"))
      #expect(changed.output.contains(": capture: hook, triggers before\n"))
      #expect(changed.output.split(separator: "\n").count == 4)
      #expect(stores.attach("a", "--peer-name", "A\u{7}").output.split(separator: "\n").count == 2)
      let json = stores.attach("a", "--capture", "triggers", "--json")
      try JSONSchema(named: "attach").check(json.output)
      #expect(json.output.contains(#""applied":["capture: triggers, hook before"]"#))
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1, NULL)")
      #expect(Invocation("sync", stores.path("a"), "-q").status == .done)
      let rebuilt = stores.attach("b")
      #expect(rebuilt.output.contains(": rebuilt from 1 transaction; peer "))
      #expect(stores.sql("b", "SELECT title FROM tracks") == "one\n")
      let detached = Invocation("detach", stores.path("a"), "--remove-logs")
      #expect(detached.status == .done)
      #expect(detached.output == "\(stores.path("a")): detached, its logs removed\n")
      #expect(try stores.segments().isEmpty)
      #expect(Invocation("sync", stores.path("a")).status == .failed)
      let adopted = stores.attach("a", "-q")
      #expect(adopted.status == .done)
      #expect(adopted.output.isEmpty)
    }
  }

  @Test func `what is declared of foreign keys changes before anything is written, and not after`()
    throws
  {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(StoreFixture.schema, to: "schema.sql")
      let schema = ["--schema", directory + "/schema.sql"]
      #expect(stores.attach("a", schema[0], schema[1], "--foreign-keys", "keep").status == .done)
      for (now, before) in [("enforce", "keep"), ("keep", "enforce"), ("enforce", "keep")] {
        let changed = stores.attach("a", "--foreign-keys", now)
        #expect(changed.status == .done, "\(changed.errors)")
        #expect(changed.output.contains("a.db: foreign keys: \(now), \(before) before\n"))
        #expect(Invocation("sync", stores.path("a")).status == .done)
        #expect(stores.attach("a").status == .done)
        #expect(Invocation("doctor", stores.path("a")).status == .done)
      }
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'one', 1, NULL)")
      let late = stores.attach("a", "--foreign-keys", "keep")
      #expect(late.status == .failed)
      #expect(late.errors.contains("--foreign-keys enforce"), "\(late.errors)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let left = stores.attach("a", "--except", "tracks")
      #expect(left.status == .failed)
    }
  }

  @Test func `an attached store keeps a table to share, and says which rows new devices get once`()
    throws
  {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        "CREATE TABLE kept (id TEXT PRIMARY KEY); CREATE TABLE once (x)", to: "schema.sql")
      let first = stores.attach("a", "--schema", directory + "/schema.sql", "--except", "once")
      #expect(first.status == .done, "\(first.errors)")
      let nothing = stores.attach("a", "--except", "kept,once")
      #expect(nothing.status == .failed)
      #expect(nothing.errors.contains("nothing would be shared"), "\(nothing.errors)")
      let copied = stores.attach("a", "--copy-once", "once", "--json")
      #expect(
        copied.output.contains(
          #""applied":["tables whose rows new devices get once: once, none before"]"#),
        "\(copied.output)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(stores.attach("b").status == .done)
    }
  }

  @Test func `a rehearsal refuses the rows that joining would refuse`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write("CREATE TABLE t (id TEXT PRIMARY KEY)", to: "schema.sql")
      #expect(stores.attach("a", "--schema", directory + "/schema.sql").status == .done)
      stores.sql("a", "INSERT INTO t VALUES ('a')")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let database = try Connection(path: stores.path("b"), mode: .create)
      try database.execute(
        """
        CREATE TABLE t (id TEXT PRIMARY KEY);
        CREATE TABLE bad (a TEXT PRIMARY KEY);
        INSERT INTO bad VALUES (NULL);
        """)
      database.close()
      for refused in [stores.attach("b", "--dry-run"), stores.attach("b")] {
        #expect(refused.status == .failed)
        let text = refused.output + refused.errors
        #expect(
          text.contains("a row of table bad has NULL in a, a column of its primary key"), "\(text)")
      }
      #expect(stores.attach("b", "--except", "bad").status == .done)
    }
  }

  @Test func `a path that names no database is said to`() throws {
    try withTemporaryDirectory { directory in
      let missing = directory + "/none.db"
      for arguments in [
        ["sync"], ["status"], ["verify"], ["rebuild"], ["detach"], ["digest"], ["baseline"],
      ] {
        let none = Invocation(words: arguments + [missing])
        #expect(none.status == .failed)
        #expect(none.errors.contains("there is no such "), "\(arguments): \(none.errors)")
        let place = Invocation(words: arguments + [directory])
        #expect(place.status == .failed)
        #expect(place.errors.contains("names a directory"), "\(arguments): \(place.errors)")
      }
    }
  }

  @Test func `tables that the first device leaves out are left out by those that join`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        "CREATE TABLE kept (id INTEGER PRIMARY KEY); CREATE TABLE left_out (x)", to: "schema.sql")
      let first = stores.attach("a", "--schema", directory + "/schema.sql", "--except", "left_out")
      #expect(first.status == .done, "\(first.errors)")
      stores.sql("a", "INSERT INTO kept VALUES (1); INSERT INTO left_out VALUES (2)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let second = stores.attach("b")
      #expect(second.status == .done, "\(second.errors)")
      #expect(stores.sql("b", "SELECT * FROM kept UNION ALL SELECT * FROM left_out") == "1\n")
      let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output.prefix(64) }
      #expect(digests[0] == digests[1])
    }
  }

  @Test func `a database of which nothing would be shared is refused, a blank one waits`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(StoreFixture.schema, to: "schema.sql")
      let script = directory + "/schema.sql"
      let none = stores.attach("a", "--schema", script, "--except", "tracks,PAIRS")
      #expect(none.status == .failed)
      #expect(
        none.errors.contains("nothing would be shared: all tables are left out (tracks, pairs); "),
        "\(none.errors)")
      #expect(none.errors.filter { $0 == "\n" }.count == 1)
      #expect(!FileManager.default.fileExists(atPath: stores.path("a")))
      try stores.write("CREATE VIRTUAL TABLE text USING fts5(body)", to: "virtual.sql")
      let virtual = stores.attach("a", "--schema", directory + "/virtual.sql")
      #expect(virtual.status == .failed)
      #expect(
        virtual.errors.contains("nothing would be shared: the database has no tables but virtual"),
        "\(virtual.errors)")
      #expect(stores.attach("a").status == .done)
      #expect(stores.attach("b", "--schema", script, "--except", "pairs").status == .done)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(stores.sql("a", "SELECT count(*) FROM tracks") == "0\n")
    }
  }

  @Test func `names are shown safely on a terminal`() throws {
    try withStores { stores in
      let run = Invocation(
        "attach", stores.path("c"), "--container", stores.container, "--name", "Library",
        "--peer-name", "C\u{1B}[2J", terminal: true)
      #expect(run.status == .done)
      #expect(run.output.hasSuffix(" (C\\x1b[2J)\n"))
      #expect(!run.output.contains("\u{1B}"))
    }
  }

  @Test func `a directory of migrations is read in order of name`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      for name in [stores.container, directory + "/migrations"] {
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
      }
      let empty = stores.attach("a", "--schema", directory + "/migrations")
      #expect(empty.status == .failed)
      #expect(empty.errors.contains("/migrations: there is no *.sql file in this directory; "))
      try stores.write("ALTER TABLE t ADD COLUMN b", to: "migrations/02 b.sql")
      try stores.write("CREATE TABLE t (id INTEGER PRIMARY KEY)", to: "migrations/01.sql")
      try stores.write("nonsense", to: "migrations/.hidden.sql")
      try stores.write("nonsense", to: "migrations/03.txt")
      let run = stores.attach("a", "--schema", directory + "/migrations")
      #expect(run.status == .done, "\(run.errors)")
      #expect(stores.sql("a", "SELECT name FROM pragma_table_info('t')") == "id\nb\n")
      #expect(stores.sql("a", "SELECT name FROM tributary_migration") == "01\n02 b\n")
    }
  }

  @Test func `how tables merge is declared once, and risky keys are named`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        """
        CREATE TABLE song (id INTEGER PRIMARY KEY, plays INTEGER, best REAL, "a.b" TEXT);
        CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE disc (id INTEGER PRIMARY KEY);
        """, to: "schema.sql")
      let schema = directory + "/schema.sql"
      let first = stores.attach(
        "a", "--schema", schema, "--policy", "song.plays=counter", "--policy", "SONG.best=max",
        "--merge", "song=column", "--natural-keys", "genre", "--merge", "genre=row")
      #expect(first.status == .done, "\(first.errors)")
      #expect(
        first.errors.hasPrefix("warning: rows of tables song, disc are numbered by each device "))
      #expect(first.errors.filter { $0 == "\n" }.count == 1)
      let rules = "song\t\tcolumn\nsong\tbest\tmax\nsong\tplays\tcounter\n"
      let query = """
        SELECT lower("table"), "column", rule FROM tributary_merge WHERE "table" = 'song' ORDER BY 2
        """
      #expect(stores.sql("a", query) == rules)
      let second = stores.attach("b", "--schema", schema, "-q")
      #expect(second.errors.isEmpty)
      #expect(stores.sql("b", query) == rules)
      let third = stores.attach("c", "--schema", schema, "--policy", "song.plays=max")
      #expect(third.status == .failed)
      #expect(third.errors.contains("do not agree how table song merges"))
      #expect(third.errors.filter { $0 == "\n" }.count == 1)
      stores.sql("a", "INSERT INTO song (id, plays) VALUES (1, 1)")
      let counted = Invocation("sql", stores.path("a"), "UPDATE song SET plays = 'many'")
      #expect(counted.status == .failed)
      #expect(counted.errors.contains("column plays, which is a counter; write an integer or NULL"))
    }
  }

  @Test func `tables can be chosen`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(StoreFixture.schema, to: "schema.sql")
      let schema = directory + "/schema.sql"
      #expect(stores.attach("a", "--schema", schema, "--tables", "tracks").status == .done)
      #expect(
        Invocation("digest", stores.path("a"), "--json").output.contains(#""tables":{"tracks":"#))
      let unknown = stores.attach("b", "--schema", schema, "--except", "nope")
      #expect(unknown.status == .failed)
      #expect(unknown.errors.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test(arguments: ["missing.sql", "invalid.sql"])
  func `a schema that cannot be read is one line`(name: String) throws {
    try withTemporaryDirectory { directory in
      try Data([0x2D, 0x2D, 0xFF]).write(to: URL(filePath: directory + "/invalid.sql"))
      let run = StoreFixture(directory: directory).attach("a", "--schema", "\(directory)/\(name)")
      #expect(run.status == .failed)
      #expect(run.errors.contains(name) && run.errors.contains(";"))
      #expect(run.errors.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test(arguments: [
    ("DROP TABLE tracks", "creates nothing"), ("DELETE FROM tracks", "creates nothing"),
    ("PRAGMA user_version = 7", "creates nothing"), ("ATTACH 'x' AS y", "creates nothing"),
    ("CREATE TABLE t (a); DROP TABLE tracks", "DROP TABLE"),
  ])
  func `a schema in the container may make things and nothing else`(
    statement: String, message: String
  ) throws {
    try withLogs { logs in
      let tracks = "CREATE TABLE tracks (id INTEGER PRIMARY KEY, title, length)"
      try logs.write([.init(1)])
      try logs.writeManifest(of: LogFixture.alice, name: "A", sql: [tracks, statement])
      let path = logs.container + "-store.db"
      let run = Invocation(
        "attach", path, "--container", logs.container, "--name", logs.contentName)
      #expect(run.status == .failed && run.errors.contains(message), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `migrations that cannot be told apart, or have changed, are named`() throws {
    try withTemporaryDirectory { directory in
      func attach(_ store: String, _ schema: String) -> Invocation {
        Invocation(
          "attach", "\(directory)/\(store)", "--container", directory + "/c", "--name", store,
          "--schema", "\(directory)/\(schema)")
      }
      try FileManager.default.createDirectory(
        atPath: directory + "/c", withIntermediateDirectories: true)
      // What changes how lines end has not changed the text.
      for end in ["\n", "\r\n"] {
        try "CREATE TABLE t (\(end)id INTEGER PRIMARY KEY)".write(
          toFile: directory + "/one.sql", atomically: true, encoding: .utf8)
        #expect(attach("a", "one.sql").status == .done)
      }
      try "CREATE TABLE t (id INTEGER PRIMARY KEY, v)".write(
        toFile: directory + "/one.sql", atomically: true, encoding: .utf8)
      let changed = attach("a", "one.sql")
      #expect(changed.status == .failed)
      #expect(
        changed.errors.contains("the text of migration one is not the one that has run here; "))
      try "no database, whatever it may look like to you, and long enough".write(
        toFile: directory + "/n", atomically: true, encoding: .utf8)
      let other = Invocation("status", directory + "/n")
      #expect(other.status == .failed)
      #expect(!other.errors.contains("PRAGMA") && other.errors.contains("not an SQLite database"))
    }
  }
}
