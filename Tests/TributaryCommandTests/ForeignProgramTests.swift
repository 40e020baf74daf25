import Foundation
import Glibc
import Testing
import TributaryTesting

/// Programs of other languages write stores: Python's `sqlite3` and the `sqlite3` shell.
struct ForeignProgramTests {
  /// A schema like one that real programs have, and what a program does to it.
  struct Shape: Sendable, CustomTestStringConvertible {
    var name: String
    var schema: String
    /// `$N` is a number of the device and the run.
    var writes: String

    var testDescription: String { name }
  }

  enum Program: String, CaseIterable, Sendable {
    case python, shell
  }

  /// Who writes, and what captures it.
  struct Way: Sendable, CustomTestStringConvertible {
    var program: Program
    var capture: String

    var testDescription: String { "\(program), \(capture)" }

    static let all = ["triggers", "hook"].flatMap { capture in
      Program.allCases.map { Way(program: $0, capture: capture) }
    }
  }

  static let shapes = [
    Shape(
      name: "numbers, cascades and two kinds of UNIQUE",
      schema: """
        CREATE TABLE artist (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
        CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER NOT NULL REFERENCES artist ON DELETE CASCADE,
          title TEXT, year INT, cover BLOB);
        CREATE UNIQUE INDEX album_title ON album (artist, lower(title)) WHERE title IS NOT NULL;
        INSERT INTO artist (name) VALUES ('Abba'), ('Bach'), ('Cage');
        INSERT INTO album (artist, title, year) VALUES (1, 'One', 1971), (2, 'Two', NULL), (3, NULL, 3);
        """,
      writes: """
        INSERT INTO artist (name) VALUES ('new $N');
        INSERT INTO album (artist, title, cover) SELECT max(id), 'album $N', zeroblob(5000) FROM artist;
        INSERT OR REPLACE INTO album (id, artist, title) VALUES (100 + $N, 1, 'ONE');
        UPDATE album SET year = ifnull(year, 0) + $N WHERE artist = 2;
        DELETE FROM artist WHERE name = 'CAGE';
        """),
    Shape(
      name: "text keys WITHOUT ROWID and upserts",
      schema: """
        CREATE TABLE setting (scope TEXT, name TEXT COLLATE NOCASE, value, n INT DEFAULT 0,
          upper TEXT GENERATED ALWAYS AS (upper(name)) STORED, PRIMARY KEY (scope, name)) WITHOUT ROWID;
        INSERT INTO setting (scope, name, value) VALUES ('a', 'x', 1), ('a', 'y', 2.5), ('b', 'x', NULL);
        """,
      writes: """
        INSERT INTO setting (scope, name, value) VALUES ('a', 'X', 'again')
          ON CONFLICT (scope, name) DO UPDATE SET value = excluded.value, n = n + 1;
        REPLACE INTO setting (scope, name, value) VALUES ('c', 'of $N', x'00ff');
        UPDATE OR REPLACE setting SET name = 'moved $N' WHERE scope = 'b';
        """),
    Shape(
      name: "clauses that tables declare",
      schema: """
        CREATE TABLE attribute (id INTEGER PRIMARY KEY, entity INT, key TEXT, value TEXT,
          UNIQUE (entity, key) ON CONFLICT REPLACE);
        INSERT INTO attribute (entity, key, value) VALUES (1, 'mood', 'calm'), (2, 'mood', 'wild');
        """,
      writes: """
        INSERT INTO attribute (entity, key, value) VALUES (1, 'mood', 'of $N'), ($N, 'own', 'x');
        UPDATE attribute SET entity = 1, key = 'own' WHERE entity = $N AND key = 'own';
        """),
    Shape(
      name: "tables without a primary key",
      schema: """
        CREATE TABLE song (title TEXT, n);
        CREATE TABLE version (version INTEGER);
        CREATE TABLE path (file TEXT NOT NULL UNIQUE, size);
        INSERT INTO song VALUES ('x', 1), ('x', 1), ('y', 2); INSERT INTO version VALUES (3);
        """,
      writes: """
        INSERT INTO song VALUES ('x', 1); UPDATE song SET n = n + 1 WHERE title = 'y';
        DELETE FROM song WHERE rowid = 1; UPDATE version SET version = 4;
        INSERT OR REPLACE INTO path VALUES ('/same', $N), ('/of $N', 0);
        """),
  ]

  @Test(.enabled(if: Shell.has("sqlite3")), arguments: Self.shapes, Way.all)
  func `what a program writes on two devices is on both`(shape: Shape, way: Way) throws {
    try withDevices(shape, capture: way.capture) { stores in
      for round in 1...3 {
        for (number, name) in ["a", "b"].enumerated() {
          try run(shape.writes, number: 10 * round + number, on: stores.path(name), way.program)
        }
        if round == 2 { try run("VACUUM", number: 0, on: stores.path("a"), .shell) }
        if round != 1 { synchronize(stores) }
      }
      synchronize(stores)
      expectEqual(stores)
    }
  }

  @Test(arguments: Self.shapes)
  func `several programs may write at once while both devices synchronise`(shape: Shape) throws {
    try withDevices(shape) { stores in
      let watches = try ["a", "b"].map {
        try CommandProcess(
          ["sync", stores.path($0), "--watch", "--interval", "0.5"], discardingOutput: true)
      }
      let writers = try (0..<4).map { number in
        try Shell(
          "python3 -c \"$0\" \"$1\" \"$2\" \"$3\"", Self.busyWriter,
          stores.path(number % 2 == 0 ? "a" : "b"),
          shape.writes, "\(number)")
      }
      for writer in writers {
        let end = try writer.finish()
        #expect(end.status == 0, "\(end.output)")
      }
      for watch in watches {
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
      }
      synchronize(stores)
      expectEqual(stores)
    }
  }

  @Test func `what nothing captured is named by sync, status and doctor`() throws {
    try withDevices(Self.shapes[0], capture: "hook") { stores in
      let path = stores.path("a")
      try run("UPDATE album SET year = 1 WHERE id = 1", number: 0, on: path, .python)
      let before = Invocation("status", path, "--json")
      try JSONSchema(named: "status").check(before.output)
      #expect(before.output.contains("another program wrote 1 row of table album"))
      let doctor = Invocation("doctor", path, "--json")
      for line in doctor.output.split(separator: "\n") {
        try JSONSchema(named: "doctor").check(String(line))
      }
      #expect(doctor.output.contains("another program wrote 1 row of table album"))
      let sync = Invocation("sync", path, "--json")
      #expect(sync.status == .done)
      try JSONSchema(named: "sync").check(sync.output)
      #expect(
        sync.output.contains(#""uncaptured":{"rows":1,"tables":["album"]}"#), "\(sync.output)")
      #expect(sync.errors.contains("another program wrote 1 row of table album"), "\(sync.errors)")
      #expect(!Invocation("sync", path, "--json").output.contains("uncaptured"))
      for command in ["status", "doctor"] {
        #expect(Invocation(command, path).output.contains("wrote 1 row of table album"))
      }
    }
  }

  @Test func `verify does not call a store sound of which a table has stopped`() throws {
    try withDevices(Self.shapes[0], capture: "hook") { stores in
      let path = stores.path("a")
      try run("ALTER TABLE album RENAME COLUMN cover TO art", number: 0, on: path, .python)
      #expect(Invocation("sync", path).status == .damage)
      let verified = Invocation("verify", path)
      #expect(verified.status == .damage)
      #expect(verified.errors.contains("not compared: "), "\(verified.errors)")
      #expect(verified.errors.contains("table album is neither published nor imported"))
      try run("ALTER TABLE album RENAME COLUMN art TO cover", number: 0, on: path, .python)
      #expect(Invocation("rebuild", path).status == .done)
      #expect(Invocation("verify", path).status == .done)
    }
  }

  @Test(arguments: [5, 12, 40])
  func `a program that is killed leaves whole transactions or nothing`(number: Int) throws {
    try withDevices(Self.shapes[0]) { stores in
      let writer = try Shell(
        "python3 -c \"$0\" \"$1\" \"$2\" 0 \(number)", Self.killedWriter, stores.path("a"),
        Self.shapes[0].writes)
      #expect(try writer.finish().status != 0)
      synchronize(stores)
      expectEqual(stores)
    }
  }

  @Test(arguments: ["triggers", "hook"])
  func `a watch that is killed loses nothing of other programs and doubles nothing`(
    capture: String
  ) throws {
    let shape = Shape(
      name: "log", schema: "CREATE TABLE log (id INTEGER PRIMARY KEY, who TEXT)",
      writes: "INSERT INTO log (who) VALUES ('$N')")
    try withDevices(shape, capture: capture) { stores in
      var random = SeededGenerator(seed: 1)
      let writers = try (0..<2).map { number in
        try Shell(
          "python3 -c \"$0\" \"$1\" \"$2\" \"$3\"", Self.busyWriter, stores.path("a"), shape.writes,
          "\(number)")
      }
      for _ in 0..<12 {
        let watch = try CommandProcess(
          ["sync", stores.path("a"), "--watch", "--interval", "0.01"], discardingOutput: true)
        // Any moment will do: what is demanded holds whenever the watch is killed.
        usleep(.random(in: 0...80_000, using: &random))
        watch.send(SIGKILL)
        _ = try watch.finish()
      }
      for writer in writers { #expect(try writer.finish().status == 0) }
      synchronize(stores)
      expectEqual(stores)
      let rows = stores.sql("b", "SELECT count(*), count(DISTINCT who) FROM log")
      #expect(rows.filter(\.isNumber) == "4040", "\(rows)")
    }
  }

  // MARK: Programs

  /// Commits the statements twenty times, each time with another number; a constraint stops one statement.
  private static let busyWriter = """
    sqlite3, sys = map(__import__, ['sqlite3', 'sys'])
    connection = sqlite3.connect(sys.argv[1], timeout=600, isolation_level=None)
    for run in range(20):
        connection.execute('BEGIN IMMEDIATE')
        for statement in sys.argv[2].split(';'):
            try:
                connection.execute(statement.replace('$N', str(1000 + 20 * int(sys.argv[3]) + run)))
            except sqlite3.IntegrityError:
                pass
        connection.execute('COMMIT')
    """

  /// The same, and kills itself before one of the statements.
  private static let killedWriter = """
    os, signal, sqlite3, sys = map(__import__, ['os', 'signal', 'sqlite3', 'sys'])
    connection = sqlite3.connect(sys.argv[1], timeout=600, isolation_level=None)
    done = 0
    for run in range(20):
        connection.execute('BEGIN IMMEDIATE')
        for statement in sys.argv[2].split(';'):
            done += 1
            if done == int(sys.argv[4]):
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                connection.execute(statement.replace('$N', str(1000 + run)))
            except sqlite3.IntegrityError:
                pass
        connection.execute('COMMIT')
    """

  private func run(_ sql: String, number: Int, on path: String, _ program: Program) throws {
    let text = sql.replacingOccurrences(of: "$N", with: "\(number)")
    let end =
      switch program {
      case .python:
        try Shell(
          "python3 -c \"$0\" \"$1\" \"$2\"",
          """
          sqlite3, sys = map(__import__, ['sqlite3', 'sys'])
          connection = sqlite3.connect(sys.argv[1], timeout=600)
          connection.executescript('PRAGMA foreign_keys = ON; ' + sys.argv[2])
          """, path, text
        ).finish()
      case .shell:
        try Shell("sqlite3 \"$0\" \"PRAGMA foreign_keys = ON; $1\"", path, text).finish()
      }
    #expect(end.status == 0, "\(end.output)")
  }

  private func withDevices(
    _ shape: Shape, capture: String = "triggers", _ body: (StoreFixture) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      let made = try Shell(
        "python3 -c \"$0\" \"$1\" \"$2\"",
        "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])",
        stores.path("a"), shape.schema
      ).finish()
      #expect(made.status == 0, "\(made.output)")
      for name in ["a", "b"] {
        let attached = stores.attach(name, "--capture", capture)
        #expect(attached.status == .done, "\(attached.errors)")
        #expect(Invocation("sync", stores.path(name)).status == .done)
      }
      try body(stores)
    }
  }

  private func synchronize(_ stores: StoreFixture) {
    for _ in 0..<3 {
      for name in ["a", "b"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
    }
  }

  private func expectEqual(_ stores: StoreFixture) {
    let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output }
    #expect(digests[0] == digests[1] && !digests[0].isEmpty)
    for name in ["a", "b"] {
      let verified = Invocation("verify", stores.path(name))
      #expect(verified.status == .done, "\(verified.output)")
    }
  }
}
