import Foundation
import Testing
import TributaryTesting

/// Tables without PRIMARY KEY, in databases like those that real programs have.
struct KeylessTableTests {
  /// Runs the shell of SQLite, as any other program would.
  private func shell(_ path: String, _ sql: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/sqlite3")
    process.arguments = [path, sql]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  private func with(
    _ script: String, _ options: String..., body: (StoreFixture) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      _ = try shell(stores.path("a"), script)
      let adopted = Invocation(
        words: ["attach", stores.path("a"), "--container", stores.container, "--name", "Library"]
          + options)
      #expect(adopted.status == .done, "\(adopted.errors)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      try body(stores)
    }
  }

  /// Synchronises all often enough, and expects them to be equal and as their logs say.
  private func meet(_ stores: StoreFixture, _ names: String...) {
    for _ in 0..<2 {
      for name in names {
        let run = Invocation("sync", stores.path(name))
        #expect(run.status == .done, "\(run.errors)")
      }
    }
    let digests = names.map { Invocation("digest", stores.path($0)).output }
    #expect(Set(digests).count == 1)
    for name in names {
      let run = Invocation("verify", stores.path(name))
      #expect(run.status == .done, "\(run.output)")
    }
  }

  @Test func `inserts of all devices stay, and duplicates, whatever VACUUM does`() throws {
    try with(
      "CREATE TABLE history (url, visited); INSERT INTO history VALUES ('a', 1), ('b', 2), ('b', 2)"
    ) {
      stores in
      #expect(stores.attach("b").status == .done)
      stores.sql("a", "DELETE FROM history WHERE rowid = 1")
      for name in ["a", "b"] { stores.sql(name, "INSERT INTO history VALUES ('same', 9)") }
      for name in ["a", "b"] { _ = try shell(stores.path(name), "VACUUM") }
      meet(stores, "a", "b")
      stores.sql("b", "UPDATE history SET visited = 3 WHERE url = 'b'")
      stores.sql(
        "a", "DELETE FROM history WHERE rowid = (SELECT max(rowid) FROM history WHERE url = 'same')"
      )
      _ = try shell(stores.path("a"), "VACUUM")
      meet(stores, "a", "b")
      #expect(stores.sql("a", "SELECT * FROM history ORDER BY url") == "b\t3\nb\t3\nsame\t9\n")
      #expect(stores.sql("b", "SELECT * FROM history ORDER BY url") == "b\t3\nb\t3\nsame\t9\n")
    }
  }

  @Test func `copies of one database are one, also after VACUUM and older ones`() throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      _ = try shell(
        stores.path("a"),
        """
        CREATE TABLE plays (song, at);
        INSERT INTO plays (rowid, song, at) VALUES (2, 'x', 1), (5, 'y', 1), (6, 'y', 1), (9, 'z', 4)
        """)
      for name in ["b", "c"] {
        try FileManager.default.copyItem(atPath: stores.path("a"), toPath: stores.path(name))
      }
      _ = try shell(stores.path("c"), "VACUUM; INSERT INTO plays VALUES ('new', 1), ('y', 1)")
      #expect(stores.attach("a").status == .done)
      stores.sql(
        "a", "UPDATE plays SET at = 7 WHERE song = 'x'; DELETE FROM plays WHERE song = 'z'")
      #expect(Invocation("sync", stores.path("a")).status == .done)
      // An older version of a row, and one that has been deleted, say nothing.
      let joined = stores.attach("b")
      #expect(joined.output.contains("joined the logs, 0 rows added"))
      meet(stores, "a", "b")
      #expect(stores.sql("b", "SELECT * FROM plays ORDER BY rowid") == "x\t7\ny\t1\ny\t1\n")
      stores.sql("a", "UPDATE plays SET at = 1 WHERE song = 'x'; INSERT INTO plays VALUES ('z', 4)")
      meet(stores, "a", "b")
      let vacuumed = stores.attach("c")
      #expect(vacuumed.output.contains("joined the logs, 2 rows added"), "\(vacuumed.output)")
      meet(stores, "a", "b", "c")
      #expect(
        stores.sql("a", "SELECT * FROM plays ORDER BY 1, 2")
          == "new\t1\nx\t1\ny\t1\ny\t1\ny\t1\nz\t4\n")
    }
  }

  @Test func `songs without a key keep the rowid that playlists refer to`() throws {
    try with(
      """
      CREATE TABLE songs (title TEXT, artist TEXT, mtime INTEGER NOT NULL DEFAULT 0);
      CREATE TABLE playlists (name TEXT NOT NULL, last_played INTEGER NOT NULL DEFAULT -1);
      CREATE TABLE playlist_items (playlist INTEGER NOT NULL, collection_id INTEGER);
      CREATE TABLE schema_version (version INTEGER NOT NULL);
      INSERT INTO schema_version VALUES (18);
      INSERT INTO songs (rowid, title) VALUES (4, 'So What'), (8, 'Blue in Green');
      INSERT INTO playlists (rowid, name) VALUES (3, 'Night');
      INSERT INTO playlist_items VALUES (3, 8), (3, 4)
      """, "--rowid-key", "songs", "--rowid-key", "playlists"
    ) { stores in
      let again = stores.attach("a")
      #expect(again.output.contains("rows of songs are known by the rowid\n"))
      #expect(again.output.contains("rows of playlist_items are known by themselves\n"))
      let joined = stores.attach("b", "--json")
      try JSONSchema(named: "attach").check(joined.output)
      #expect(joined.output.contains(#"{"table":"songs","by":"rowid"}"#))
      let status = Invocation("status", stores.path("b"), "--json").output
      try JSONSchema(named: "status").check(status)
      #expect(status.contains(#"{"table":"playlist_items","by":"themselves"}"#))
      // One file that both have scanned is one song; different ones are two.
      for name in ["a", "b"] { stores.sql(name, "INSERT INTO songs (title) VALUES ('All Blues')") }
      stores.sql(
        "a", "INSERT INTO songs (title) VALUES ('Flamenco'); DELETE FROM songs WHERE rowid = 4")
      stores.sql("b", "INSERT INTO songs (title) VALUES ('Freddie')")
      for name in ["a", "b"] { _ = try shell(stores.path(name), "VACUUM") }
      meet(stores, "a", "b")
      #expect(
        stores.sql(
          "a",
          "SELECT s.title FROM playlist_items AS i JOIN songs AS s ON s.rowid = i.collection_id")
          == "Blue in Green\n")
      #expect(
        stores.sql("b", "SELECT title FROM songs ORDER BY title")
          == "All Blues\nBlue in Green\nFlamenco\nFreddie\n")
      let refused = stores.attach("a", "--rowid-key", "playlist_items")
      #expect(refused.status == .failed)
      #expect(refused.errors.contains("do not agree how table playlist_items merges"))
    }
  }

  @Test func `rows are known by a UNIQUE key, as wikis and trackers have them`() throws {
    try with(
      """
      CREATE TABLE categorylinks (cl_from INTEGER NOT NULL DEFAULT 0, cl_to BLOB NOT NULL, cl_sortkey BLOB);
      CREATE UNIQUE INDEX cl_from ON categorylinks (cl_from, cl_to);
      CREATE INDEX cl_sortkey ON categorylinks (cl_to, cl_sortkey);
      CREATE TABLE permission (username text, action text, UNIQUE (username, action));
      CREATE TABLE session (sid text, authenticated int, last_visit int, UNIQUE (sid, authenticated));
      CREATE TABLE odd (a UNIQUE, b, c UNIQUE);
      INSERT INTO odd VALUES (NULL, 1, 2);
      INSERT INTO categorylinks VALUES (1, 'Jazz', 'a');
      INSERT INTO permission VALUES ('anna', 'WIKI_VIEW')
      """
    ) { stores in
      #expect(stores.attach("b").status == .done)
      let output = stores.attach("b").output
      for line in [
        "categorylinks are known by the UNIQUE key (cl_from, cl_to)",
        "permission are known by the UNIQUE key (username, action)",
        "session are known by the UNIQUE key (sid, authenticated)",
        "odd are known by the UNIQUE key (c)",
      ] { #expect(output.contains("rows of \(line)\n")) }
      stores.sql(
        "a", "UPDATE categorylinks SET cl_sortkey = 'b'; INSERT INTO session VALUES ('s', 0, 5)")
      stores.sql(
        "b",
        """
        INSERT INTO session VALUES ('s', 0, 6);
        INSERT OR REPLACE INTO permission VALUES ('anna', 'WIKI_VIEW'), ('ben', 'WIKI_ADMIN')
        """)
      for name in ["a", "b"] { _ = try shell(stores.path(name), "VACUUM") }
      meet(stores, "a", "b")
      #expect(stores.sql("a", "SELECT count(*), max(last_visit) FROM session") == "1\t6\n")
      #expect(stores.sql("b", "SELECT * FROM categorylinks") == "1\tJazz\tb\n")
      #expect(stores.sql("a", "SELECT count(*) FROM permission") == "2\n")
      // What is chosen stays.
      let null = Invocation("sql", stores.path("a"), "INSERT INTO session VALUES (NULL, 0, 1)")
      #expect(null.status == .failed)
      #expect(
        null.errors.contains(
          "a row of table session has NULL in the UNIQUE key by which its rows are known"))
      let dropped = Invocation(
        "sql", stores.path("a"),
        "DROP INDEX cl_from; INSERT INTO categorylinks VALUES (2, 'x', 'y')")
      #expect(dropped.status == .failed)
      #expect(
        dropped.errors.contains(
          "the UNIQUE key (cl_from, cl_to), by which its rows are known, is missing"))
      let key = stores.attach("a", "--rowid-key", "tickets")
      #expect(key.status == .failed)
    }
  }

  @Test func `logs tell of rows that are known by themselves`() throws {
    try with("CREATE TABLE buffer (network, message); INSERT INTO buffer VALUES (1, 'one')") {
      stores in
      #expect(stores.attach("b").status == .done)
      stores.sql(
        "a", "INSERT INTO buffer VALUES (1, 'two'); UPDATE buffer SET network = 5 WHERE rowid = 1")
      stores.sql("b", "UPDATE buffer SET message = 'ONE', network = 6 WHERE message = 'one'")
      meet(stores, "a", "b")
      let shown = Invocation("log", "show", stores.container).output
      #expect(shown.contains("insert buffer 2 _rowid_=2 network=1 message='two'"))
      let conflicts = Invocation("conflicts", "list", stores.path("a"), "--json").output
      #expect(conflicts.contains(#""table":"buffer","key":1,"#))
      let id = try #require(
        try JSONSerialization.jsonObject(with: Data(conflicts.utf8)) as? [String: Any])["id"]
      #expect(
        Invocation("conflicts", "resolve", stores.path("a"), "\(id ?? "")", "--restore").status
          == .done)
      meet(stores, "a", "b")
      #expect(stores.sql("b", "SELECT * FROM buffer WHERE rowid = 1") == "5\tONE\n")
      for words in [
        ["log", "diff", stores.container], ["log", "blame", stores.container],
        ["log", "verify", stores.container], ["log", "stat", stores.container],
        ["doctor", stores.path("a")], ["rebuild", stores.path("a")],
        ["log", "replay", stores.container, "--output", stores.path("r")],
      ] {
        let run = Invocation(words: words)
        #expect(run.status == .done, "\(words): \(run.errors)")
      }
      meet(stores, "a", "b")
      let script = Invocation("log", "export", stores.container, "--schema").output
      try Data(script.utf8).write(to: URL(filePath: stores.path("e") + ".sql"))
      _ = try shell(stores.path("e"), ".read \(stores.path("e")).sql")
      for name in ["e", "r"] {
        #expect(
          try shell(stores.path(name), "SELECT rowid, * FROM buffer") == "1|5|ONE\n2|1|two\n")
      }
      #expect(Invocation("detach", stores.path("a")).status == .done)
      #expect(
        try shell(stores.path("a"), ".schema buffer") == "CREATE TABLE buffer (network, message);\n"
      )
    }
  }

  @Test func `a table that is made in a store is known like any other`() throws {
    try with("CREATE TABLE t (id INTEGER PRIMARY KEY)") { stores in
      #expect(stores.attach("b").status == .done)
      for name in ["a", "b"] {
        stores.sql(
          name, "CREATE TABLE notes AS SELECT '\(name)' AS text; CREATE TABLE tags (name UNIQUE, v)"
        )
        stores.sql(name, "INSERT INTO notes VALUES ('x'); INSERT INTO tags VALUES ('x', 1)")
      }
      meet(stores, "a", "b")
      #expect(stores.sql("a", "SELECT * FROM notes ORDER BY 1") == "a\nb\nx\nx\n")
      #expect(stores.sql("a", "SELECT count(*) FROM tags") == "1\n")
      // Made and dropped before anything was logged of it, it may be another one.
      stores.sql("a", "CREATE TABLE one (a UNIQUE); DROP TABLE one; CREATE TABLE one (b)")
      #expect(Invocation("sync", stores.path("a")).status == .done)
    }
  }

  @Test func `devices that have chosen differently do not synchronise, and say so`() throws {
    try with("CREATE TABLE users (mail UNIQUE, name); INSERT INTO users VALUES ('a', 'Anna')") {
      stores in
      // It would be another choice, alone.
      _ = try shell(
        stores.path("b"),
        "CREATE TABLE users (mail UNIQUE, name); INSERT INTO users VALUES (NULL, 'Ben')")
      let refused = stores.attach("b")
      #expect(refused.status == .failed)
      #expect(
        refused.errors.contains(
          "has NULL in mail, a column of the UNIQUE key by which its rows are known"),
        "\(refused.errors)")
      let aside = stores.directory + "/aside"
      try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: true)
      let alone = Invocation("attach", stores.path("b"), "--container", aside, "--name", "Library")
      #expect(alone.output.contains("rows of users are known by themselves\n"))
      let peers = "/tributary/Library/peers/"
      for peer in try FileManager.default.contentsOfDirectory(atPath: aside + peers) {
        try FileManager.default.copyItem(
          atPath: aside + peers + peer, toPath: stores.container + peers + peer)
      }
      let sync = Invocation("sync", stores.path("a"))
      #expect(sync.status == .failed)
      #expect(
        sync.errors.contains(
          "this store merges it with rows known by the UNIQUE key (mail), peer"), "\(sync.errors)")
    }
  }
}
