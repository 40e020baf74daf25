import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryTesting

/// What `attach` says of a database, before and after.
struct AttachReportTests {
  private static let library = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist (id), plays INTEGER);
    CREATE TABLE play (time TEXT, album INTEGER);
    CREATE TABLE cache (x);
    CREATE VIRTUAL TABLE words USING fts5 (text);
    INSERT INTO artist VALUES (1, 'one'), (2, 'two');
    INSERT INTO album VALUES (1, 1, 0);
    """

  /// A directory with a container and a database that some program has made.
  private func withDatabase(_ sql: String, _ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      let connection = try Connection(path: stores.path("a"), mode: .create)
      try connection.execute(sql)
      connection.close()
      try body(stores)
    }
  }

  /// All files, by path, with their contents.
  private func files(_ directory: String) throws -> [String: Data] {
    let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String }
    var files: [String: Data] = [:]
    for name in names ?? [] {
      files[name] = FileManager.default.contents(atPath: "\(directory)/\(name)") ?? Data()
    }
    return files
  }

  private func member(_ value: JSONValue?, _ name: String) -> JSONValue? {
    guard case .object(let members)? = value else { return nil }
    return members.first { $0.name == name }?.value
  }

  @Test func `a dry run says all that there is to say, and changes no byte`() throws {
    try withDatabase(Self.library) { stores in
      let before = try files(stores.directory)
      let run = stores.attach(
        "a", "--dry-run", "--except", "cache", "--policy", "album.plays=counter")
      #expect(run.status == .done, "\(run.errors)")
      #expect(try files(stores.directory) == before)
      #expect(
        run.output == """
          \(stores.path("a")): would be adopted with 3 rows; nothing has been changed
          TABLE   ROWS  KNOWN BY          REFERS TO
          artist     2  PRIMARY KEY (id)  
          album      1  PRIMARY KEY (id)  artist → artist (id)
          play       0  themselves        
          left out:
            table cache: it exists on every device, and its rows stay where they are
            virtual table words: each device makes its own with the module fts5, and its rows stay there
            shadow table words_config: it has the contents of words
            shadow table words_content: it has the contents of words
            shadow table words_data: it has the contents of words
            shadow table words_docsize: it has the contents of words
            shadow table words_idx: it has the contents of words
          declared:
            table album merges plays as counter
          chosen:
            rows of play are known by themselves (otherwise: --rowid-key play)
          to decide:
            full-text table words (fts5) is filled by its program, and what that writes into it stays on this \
          device; to share it, attach with --share-contents words

          """)
      let json = stores.attach("a", "--dry-run", "--json")
      #expect(json.status == .done)
      let object = JSONValue(Array(json.lines[0].utf8))
      #expect(member(object, "dryRun") == .value(.integer(1)))
      #expect(member(object, "outcome") == .value(.string("adopted")))
      #expect(member(object, "rows") == .value(.integer(3)))
      #expect(member(object, "peer") == nil)
      #expect(member(object, "refusals") == .array([]))
      #expect(try files(stores.directory) == before)
    }
  }

  @Test func `a dry run of what is not there yet, or is there already, makes nothing`() throws {
    try withDatabase(Self.library) { stores in
      try stores.write(StoreFixture.schema, to: "schema.sql")
      let schema = ["--schema", stores.directory + "/schema.sql", "--dry-run"]
      let before = try files(stores.directory)
      let new = Invocation(
        words: ["attach", stores.path("n"), "--container", stores.container, "--name", "New"]
          + schema)
      #expect(new.status == .done, "\(new.errors)")
      #expect(
        new.output.hasPrefix("\(stores.path("n")): would be created; nothing has been changed\n"))
      #expect(new.output.contains("pairs      0  PRIMARY KEY (a, b)"))
      let absent = Invocation(
        "attach", stores.path("a"), "--container", stores.directory + "/none", "--name", "New",
        "--dry-run", "--except", "nothing")
      #expect(absent.status == .failed)
      #expect(absent.errors.contains("the container \(stores.directory)/none is not a directory; "))
      #expect(absent.errors.contains("there is no table nothing; "))
      #expect(try files(stores.directory) == before)

      #expect(stores.attach("a").status == .done)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let attached = try files(stores.directory)
      let rebuilt = stores.attach("b", "--dry-run")
      #expect(
        rebuilt.output.hasPrefix("\(stores.path("b")): would be rebuilt from 1 transaction; "))
      let again = stores.attach("a", "--dry-run", "--natural-keys", "artist", "--except", "album")
      #expect(again.status == .failed)
      #expect(again.errors.contains("table album has been replicated, and cannot be left out now"))
      #expect(again.errors.contains("table artist merges as usual and has been written so"))
      #expect(stores.attach("a", "--dry-run").output.contains(": attached already, "))
      #expect(try files(stores.directory) == attached)
    }
  }

  @Test func `all refusals come at once, with a command line that goes through`() throws {
    let script = """
      CREATE TABLE good (id INTEGER PRIMARY KEY);
      CREATE TABLE "it's" (id INTEGER PRIMARY KEY, up INTEGER REFERENCES good (id));
      CREATE TABLE "no key" (a TEXT PRIMARY KEY, b);
      CREATE TABLE small (id INTEGER PRIMARY KEY, n INTEGER CHECK (n < 10));
      INSERT INTO "it's" VALUES (1, 7);
      INSERT INTO "no key" VALUES (NULL, 1);
      PRAGMA ignore_check_constraints = 1;
      INSERT INTO small VALUES (1, 11);
      """
    try withDatabase(script) { stores in
      let before = try files(stores.directory)
      let run = stores.attach("a", "--json")
      #expect(run.status == .failed)
      #expect(try files(stores.directory) == before)
      let problems = run.errors.split(separator: "\n").map(String.init)
      try #require(problems.count == 3)
      #expect(
        problems[0].contains("a row of table no key has NULL in a, a column of its primary key; "))
      #expect(problems[1].contains("row 1 of table small breaks a constraint of its table: "))
      let line = try #require(problems[2].wholeMatch(of: /tributary: this goes through: (.*)/)).1
      #expect(line.hasSuffix(#" --except 'no key,small' --json"#))
      let object = JSONValue(Array(run.lines[0].utf8))
      #expect(member(object, "outcome") == .value(.string("refused")))
      #expect(member(object, "command") == .value(.string(String(line))))
      guard case .array(let refusals)? = member(object, "refusals") else {
        Issue.record("no refusals")
        return
      }
      #expect(
        refusals.map { member($0, "table") }
          == ["no key", "small"].map { .value(.string($0)) })
      let shown = stores.attach("a", "--dry-run")
      #expect(shown.status == .failed)
      #expect(
        shown.output.contains("\nthis goes through:\n  tributary attach \(stores.path("a")) "))
      let words = try Shell("eval set -- \"$0\"; shift; printf '%s\\n' \"$@\"", String(line))
        .finish()
      #expect(
        Invocation(words: words.output.split(separator: "\n").map(String.init)).status == .done)
    }
  }

  @Test func `the command line that goes through names tables with commas`() throws {
    let script = #"""
      CREATE TABLE good (id INTEGER PRIMARY KEY);
      CREATE TABLE "a,b" (a TEXT PRIMARY KEY, b); INSERT INTO "a,b" VALUES (NULL, 1);
      CREATE TABLE "say ""c,d""" (a TEXT PRIMARY KEY, b); INSERT INTO "say ""c,d""" VALUES (NULL, 1);
      """#
    try withDatabase(script) { stores in
      let run = stores.attach("a")
      #expect(run.status == .failed)
      let line = try #require(run.errors.firstMatch(of: /this goes through: (.*)/)).1
      let words = try Shell("eval set -- \"$0\"; shift; printf '%s\\n' \"$@\"", String(line))
        .finish()
      #expect(
        Invocation(words: words.output.split(separator: "\n").map(String.init)).status == .done)
    }
  }

  @Test(arguments: ["plain", "two words", "a,b", "it's", #"say "c,d""#, "$HOME"])
  func `the option that a refusal names works as it stands, whatever the table is called`(
    table: String
  ) throws {
    let name = table.quotedIdentifier
    let others = "CREATE TABLE good (id TEXT PRIMARY KEY); INSERT INTO good VALUES ('1'); "
    try withDatabase("\(others) CREATE TABLE \(name) (a TEXT, b TEXT, PRIMARY KEY (a, b))") {
      stores in
      #expect(stores.attach("a").status == .done)
      #expect(Invocation("sync", stores.path("a")).status == .done)
      try Connection(path: stores.path("b"), mode: .create)
        .execute("\(others) CREATE TABLE \(name) (a TEXT PRIMARY KEY, b TEXT)")
      let run = stores.attach("b")
      #expect(run.status == .failed)
      let option = try #require(run.errors.firstMatch(of: /leave it out with (--except .*)/)).1
      let words = try Shell("eval set -- \"$0\"; printf '%s\\n' \"$@\"", String(option)).finish()
      let given = words.output.split(separator: "\n").map(String.init)
      #expect(given.count == 2)
      let again = Invocation(
        words: ["attach", stores.path("b"), "--container", stores.container, "--name", "Library"]
          + given)
      #expect(again.status == .done, "\(again.errors)")
    }
  }

  @Test func `triggers that use what we do not have are named at once, and others still write`()
    throws
  {
    let script = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT);
      CREATE TABLE u (id INTEGER PRIMARY KEY, n TEXT CHECK (length(n) < 9));
      CREATE TRIGGER mend AFTER INSERT ON t BEGIN
        UPDATE t SET n = other_function(new.n) WHERE id = new.id;
      END;
      """
    try withDatabase(script) { stores in
      let run = stores.attach("a")
      #expect(run.status == .done)
      #expect(
        run.errors.contains(
          "warning: `tributary sql` cannot write table t, and our library cannot: a trigger of it uses what is "
            + "not here (no such function: other_function); "))
      #expect(!run.errors.contains("cannot write table u"))
    }
  }
}
