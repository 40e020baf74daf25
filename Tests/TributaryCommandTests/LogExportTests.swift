import Foundation
import Testing
import TributaryCommand
import TributaryContainer
import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

struct LogExportTests {
  private typealias Transaction = LogFixture.Transaction
  private let alice = LogFixture.alice
  private let bob = LogFixture.bob

  private func script(_ words: String...) -> String {
    let run = Invocation(words: ["log", "export"] + words)
    #expect(run.status == .done, "\(run.errors)")
    return run.output
  }

  /// All rows of a table, in order of key.
  private func rows(_ path: String, _ table: String) throws -> [[Value]] {
    let connection = try Connection(path: path, mode: .readOnly)
    let statement = try connection.prepare("SELECT * FROM \(table) ORDER BY 1")
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.values) }
    return rows
  }

  @Test func `with the schema, logs from before a renaming use the newest names`() throws {
    try withTemporaryDirectory { directory in
      let (store, container) = (directory + "/a.db", directory + "/shared")
      try FileManager.default.createDirectory(
        atPath: container, withIntermediateDirectories: true)
      var request = AttachRequest(store: store, container: container, contentName: "C")
      let first = Migration(
        name: "1",
        sql:
          "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, plays INTEGER, stars INTEGER);"
          + " CREATE TABLE gone (id INTEGER PRIMARY KEY)")
      request.migrations = [first]
      request.merge = MergeOptions(tables: ["album": TableMerge(columns: ["plays": .counter])])
      _ = try Engine.attach(request)
      let session = try SyncSession(store: store)
      try session.store.write {
        try $0.execute("INSERT INTO album VALUES (1, 'Blue', 3, 5); INSERT INTO gone VALUES (1)")
      }
      try session.store.write { try $0.execute("UPDATE album SET plays = plays + 4, stars = 1") }
      try session.store.write { try $0.execute("UPDATE album SET stars = 2") }
      let second = Migration(
        name: "2",
        sql: """
          -- tributary: rename album to record
          ALTER TABLE album RENAME TO record;
          -- tributary: rename record.plays to record.played
          ALTER TABLE record RENAME COLUMN plays TO played;
          -- tributary: drop record.stars
          ALTER TABLE record DROP COLUMN stars;
          -- tributary: drop gone
          DROP TABLE gone;
          """)
      try session.store.migrate([first, second])
      try session.store.write {
        try $0.execute(
          "UPDATE record SET played = played + 1; INSERT INTO record VALUES (2, 'Mingus', 0)")
      }
      if let failure = try session.synchronize().failure { throw failure }
      let script = script("--schema", container)
      try Connection(path: directory + "/copy.db", mode: .create).execute(script)
      #expect(
        try rows(directory + "/copy.db", "record") == [
          [.integer(1), .string("Blue"), .integer(8)],
          [.integer(2), .string("Mingus"), .integer(0)],
        ])
    }
  }

  @Test func `SQL has a statement for each change`() throws {
    try withLogs { logs in
      try logs.writeManifest(of: alice, name: "Lap\ntop")
      try logs.write([
        Transaction(
          1, at: 0, counter: 1, .insert(1, "it's\n", 0.1),
          .delete(.null, "\"", from: LogFixture.pairs)),
        Transaction(2, .update(1, "a\0b", .real(-.infinity)), .update(2, nil, nil)),
        Transaction(3, .insert("a", .blob([0, 255]), .null, into: LogFixture.pairs)),
      ])
      #expect(
        script(logs.container) == """
          PRAGMA foreign_keys=OFF;
          -- \(alice):1  1970-01-01T00:00:00.000Z +1  Lap\\ntop
          BEGIN;
          DELETE FROM "pairs" WHERE "pairs"."b" IS NULL AND "pairs"."a" IS '"';
          INSERT INTO "tracks" ("id", "title", "length") VALUES (1, 'it''s
          ', 0.100000000000000006) ON CONFLICT ("id") DO UPDATE SET "id" = excluded."id", \
          "title" = excluded."title", "length" = excluded."length";
          COMMIT;
          -- \(alice):2  2023-11-14T22:13:22.000Z  Lap\\ntop
          BEGIN;
          UPDATE "tracks" SET "title" = CAST(x'610062' AS TEXT), "length" = -9e999 \
          WHERE "tracks"."id" IS 1;
          COMMIT;
          -- \(alice):3  2023-11-14T22:13:23.000Z  Lap\\ntop
          BEGIN;
          DELETE FROM "pairs" WHERE "pairs"."b" IS NULL AND "pairs"."a" IS 'a';
          INSERT INTO "pairs" ("a", "v", "b") VALUES ('a', x'00ff', NULL) \
          ON CONFLICT ("b", "a") DO UPDATE SET "a" = excluded."a", "v" = excluded."v", \
          "b" = excluded."b";
          COMMIT;

          """)
    }
  }

  @Test func `JSON has a line for each change`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1, .insert(1, "a", 1.0), .delete(2))])
      let run = Invocation("log", "export", "--format", "json", logs.container)
      let head =
        #"{"peer":"\#(alice)","sequence":1,"stamp":{"milliseconds":1700000001000,"counter":0},"#
        + #""time":"2023-11-14T22:13:21.000Z","schema":"music","table":"tracks","#
      #expect(
        run.lines == [
          head + #""op":"insert","key":1,"values":{"id":1,"title":"a","length":1.0}}"#,
          head + #""op":"delete","key":2,"values":{}}"#,
        ])
      for line in run.lines { try JSONSchema(named: "log-export").check(line) }
    }
  }

  @Test func `every real reads back to the bit`() throws {
    try withSeeds(0..<20) { random in
      try withLogs { logs in
        var reals: [Double] = [
          0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, 1e22,
        ]
        reals += [.leastNormalMagnitude, 1e-280, 9_007_199_254_740_992, 1e15, 0.1 + 0.2]
        for _ in 0..<500 {
          let real = Double(bitPattern: random.next())
          if !real.isNaN { reals.append(real) }
          reals.append(Double(random.number(-10_000_000...10_000_000)) / 1e5)
          // Very small ones are the hardest.
          reals.append(Double.random(in: 0..<1, using: &random) * 1e-290)
        }
        try logs.write(
          reals.enumerated().map { index, real in
            Transaction(UInt64(index + 1), .insert(.integer(Int64(index)), .real(real), .null))
          })
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("CREATE TABLE tracks (id INTEGER PRIMARY KEY, title, length)")
        try connection.execute(script(logs.container))
        let statement = try connection.prepare("SELECT title FROM tracks ORDER BY id")
        for real in reals {
          try #require(try statement.step())
          guard case .real(let read) = statement.values[0] else {
            throw TestFailure("\(statement.values) for \(real)")
          }
          try #require(read.bitPattern == real.bitPattern, "\(real)")
        }
      }
    }
  }

  @Test func `the script of a peer gives its contents, whatever it wrote`() throws {
    try withSeeds(0..<60) { random in
      try withTemporaryDirectory { directory in
        var generator = HistoryGenerator(seed: random.seed)
        let stores = StoreFixture(directory: directory)
        try FileManager.default.createDirectory(
          atPath: stores.container, withIntermediateDirectories: true)
        try stores.write(generator.createStatements.joined(separator: ";\n"), to: "schema.sql")
        try #require(stores.attach("a", "--schema", directory + "/schema.sql").status == .done)
        let session = try SyncSession(store: stores.path("a"))
        for _ in 0..<40 {
          let before = try ReferenceContents(of: stores.path("a"), generator.schema)
          let write = generator.nextWrite(for: before)
          try session.store.write { database in
            for statement in write.statements {
              do {
                let prepared = try database.prepare(statement.sql)
                for (index, value) in statement.parameters.enumerated() {
                  try prepared.bind(value, at: index + 1)
                }
                try prepared.run()
              } catch let error as SQLiteError {
                // What a constraint stops is part of the history.
                guard error.isRefusalOfWrite else { throw error }
              }
            }
          }
        }
        _ = try session.synchronize()
        let script = script("--schema", stores.container)
        let other = stores.path("exported")
        try Connection(path: other, mode: .create).execute(script)
        let difference = try ReferenceContents(of: other, generator.schema)
          .difference(from: ReferenceContents(of: stores.path("a"), generator.schema))
        try #require(difference == [], "\(generator.createStatements)")
      }
    }
  }

  @Test(.enabled(if: Shell.has("sqlite3")))
  func `sqlite3 makes the database of several peers, with everything in it`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      try stores.write(
        """
        CREATE TABLE "odd ""t" (id INTEGER PRIMARY KEY, title TEXT, n INTEGER, best REAL);
        CREATE UNIQUE INDEX titles ON "odd ""t" (title);
        CREATE TABLE seen (title TEXT PRIMARY KEY);
        CREATE TRIGGER notes AFTER INSERT ON "odd ""t" BEGIN
          INSERT OR IGNORE INTO seen VALUES (new.title); -- once
        END;
        CREATE VIEW titled AS SELECT * FROM "odd ""t" WHERE title IS NOT NULL -- all of them
        """, to: "schema.sql")
      let created = stores.attach(
        "a", "--schema", directory + "/schema.sql", "--policy", #"odd "t.n=counter"#, "--policy",
        #"odd "t.best=max"#)
      #expect(created.status == .done, "\(created.errors)")
      #expect(stores.attach("b").status == .done)
      func sync() {
        for name in ["a", "b", "a"] {
          #expect(Invocation("sync", stores.path(name)).status == .done)
        }
      }
      stores.sql("a", #"INSERT INTO "odd ""t" VALUES (1, 'x', 5, 1.5), (2, 'y', NULL, NULL)"#)
      sync()
      stores.sql("b", #"UPDATE "odd ""t" SET n = ifnull(n, 0) + 3, best = 2.5"#)
      sync()
      // Unique by an index, which the script makes after the data.
      stores.sql(
        "a",
        #"""
        UPDATE "odd ""t" SET title = '-' WHERE id = 1; UPDATE "odd ""t" SET title = 'x' WHERE id = 2;
        UPDATE "odd ""t" SET title = 'y', n = n + 1 WHERE id = 1; DELETE FROM seen WHERE title = 'y'
        """#)
      sync()
      let other = stores.path("other")
      let shell = try Shell(
        #""$0" log export --schema "$1" | sqlite3 -bail "$2""#, try CommandProcess.path,
        stores.container, other
      ).finish()
      #expect(shell.status == 0 && shell.output.isEmpty, "\(shell.output)")
      for table in [#""odd ""t""#, "seen"] {
        #expect(try rows(other, table) == rows(stores.path("a"), table))
      }
      #expect(try rows(other, "titled").count == 2)
      #expect(try rows(other, #""odd ""t""#) == [[1, "y", 9, 2.5], [2, "x", 3, 2.5]])
      let objects = "sqlite_schema WHERE name NOT LIKE 'tributary%' AND name NOT LIKE 'sqlite%'"
      func definitions(_ path: String) throws -> Set<Value> {
        Set(try rows(path, objects).map { $0[4] })
      }
      #expect(try definitions(other) == definitions(stores.path("a")))
    }
  }

  @Test func `one script is for one content name`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      var other = logs
      other.contentName = "Other"
      try other.write([Transaction(1)], by: bob)
      let run = Invocation("log", "export", logs.container)
      #expect(run.status == .failed)
      #expect(run.output.isEmpty)
      #expect(run.errors.hasPrefix("tributary: there are several content names, as "))
      #expect(Invocation("log", "export", "--format", "json", logs.container).lines.count == 2)
    }
  }

  @Test func `without a schema there is no script with one`() throws {
    try withLogs { logs in
      try logs.write([Transaction(1)])
      let run = Invocation("log", "export", "--schema", logs.container)
      #expect(run.status == .failed)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("no peer.json with a schema at \(logs.container); "))
    }
  }

  @Test func `a script and a replayed database have the numbers of the application`() throws {
    try withStores { stores in
      stores.sql("a", "PRAGMA user_version = 3; PRAGMA application_id = -77")
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'a', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let run = Invocation("log", "export", "--schema", stores.container)
      #expect(
        run.output.contains(";\nPRAGMA user_version = 3;\nPRAGMA application_id = -77;\nCOMMIT;\n"),
        "\(run.output)")
      let out = stores.path("replayed")
      let replay = Invocation("log", "replay", stores.container, "-o", out)
      #expect(replay.status == .done, "\(replay.errors)")
      let replayed = try Connection(path: out, mode: .readWrite)
      defer { replayed.close() }
      #expect(
        try replayed.headerNumbers() == HeaderNumbers(userVersion: 3, applicationID: -77))
    }
  }

  @Test func `a schema that does more than making things is refused`() throws {
    try withStores { stores in
      stores.sql("a", "INSERT INTO tracks VALUES (1, 'a', 1.0, NULL)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      let files = FileManager.default.enumerator(atPath: stores.container)
      for case let name as String in files! where name.hasSuffix("peer.json") {
        let path = "\(stores.container)/\(name)"
        let bytes = try Array(Data(contentsOf: URL(filePath: path)))
        let text = String(decoding: ManifestSeal.opened(bytes), as: UTF8.self)
          .replacing("CREATE TABLE pairs", with: "DROP TABLE tracks; --")
        try Data(ManifestSeal.sealed(Array(text.utf8))).write(to: URL(filePath: path))
      }
      let run = Invocation("log", "export", "--schema", stores.container)
      #expect(run.status == .failed)
      #expect(run.output.isEmpty && run.errors.filter { $0 == "\n" }.count == 1, "\(run.errors)")
    }
  }

  @Test func `of a damaged file whole transactions are exported`() throws {
    try withLogs { logs in
      let path = try logs.write([Transaction(1), Transaction(2)])
      let other = try logs.write([Transaction(1, at: 1_800_000_000_000)], by: bob)
      let bytes = try Data(contentsOf: URL(filePath: path))
      for count in 0..<bytes.count {
        try bytes.prefix(count).write(to: URL(filePath: path))
        let run = Invocation("log", "export", path, other)
        #expect(run.status == .damage)
        #expect(run.errors.contains("tributary: \(path): "))
        let begins = run.lines.filter { $0 == "BEGIN;" }.count
        #expect((1...3).contains(begins) && run.lines.filter { $0 == "COMMIT;" }.count == begins)
        #expect(run.lines.last == "COMMIT;" && run.output.contains("-- \(bob):1"))
      }
    }
  }
}

private struct TestFailure: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
