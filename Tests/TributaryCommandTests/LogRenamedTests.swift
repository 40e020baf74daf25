import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// What the commands about logs make of tables and columns that migrations have renamed.
struct LogRenamedTests {
  private static let first =
    "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, plays INTEGER); CREATE TABLE title (name TEXT PRIMARY KEY NOT NULL);"
  private static let second = """
    -- tributary: rename song to track
    ALTER TABLE song RENAME TO track;
    -- tributary: rename track.title to track.name
    ALTER TABLE track RENAME COLUMN title TO name;
    -- tributary: rename track.plays to track.played
    ALTER TABLE track RENAME COLUMN plays TO played;
    """

  private func attach(_ stores: StoreFixture, _ name: String, _ more: String...) {
    let run = Invocation(
      words: [
        "attach", stores.path(name), "--container", stores.container, "--name", "Library",
        "--peer-name", name.uppercased(),
      ] + more)
    #expect(run.status == .done, "\(run.errors)")
  }

  private func sync(_ stores: StoreFixture, _ names: String...) {
    for name in names {
      let run = Invocation("sync", stores.path(name), "-q")
      #expect(run.status == .done, "\(run.errors)")
    }
  }

  private func migrate(_ stores: StoreFixture) throws {
    try stores.write(Self.second, to: "schema/2.sql")
    attach(stores, "a", "--schema", stores.directory + "/schema")
  }

  /// Lends two stores with two songs, of which `a` has renamed the table and its columns.
  private func withRenamed(_ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      for path in [stores.container, directory + "/schema"] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      try stores.write(Self.first, to: "schema/1.sql")
      attach(
        stores, "a", "--schema", directory + "/schema", "--policy", "song.plays=counter")
      attach(stores, "b")
      stores.sql(
        "a",
        "INSERT INTO song VALUES (1, 'a', 0), (2, 'b', 0); INSERT INTO title VALUES ('a title')")
      sync(stores, "a", "b")
      try migrate(stores)
      try body(stores)
    }
  }

  private func lines(_ words: String...) -> [String] {
    let run = Invocation(words: ["log"] + words)
    #expect(run.status == .done, "\(run.errors)")
    return run.lines
  }

  @Test(arguments: ["song", "track", "TRACK"])
  func `a table is found by any name that it has had`(table: String) throws {
    try withRenamed { stores in
      stores.sql("a", "UPDATE track SET name = 'a2' WHERE id = 1")
      sync(stores, "a")
      let place = stores.container
      let only = ["--table", table]
      let found = Invocation(words: ["log", "grep", "", place, "--key", "1"] + only).lines
      #expect(found.count == 2)
      #expect(found.first?.contains("insert song 1 id=1 title='a'") == true, "\(found)")
      #expect(found.last?.contains("update track 1 name='a2'") == true, "\(found)")
      let shown = Invocation(words: ["log", "show", place] + only).output
      #expect(shown.contains("insert song 2") && shown.contains("update track 1"))
      #expect(!shown.contains("a title"))
      let counted = Invocation(words: ["log", "stat", place, "--by", "table", "--json"] + only)
      #expect(counted.lines.count == 1)
      #expect(
        counted.output.contains(
          #"{"by":{"table":"track"},"transactions":2,"inserts":2,"updates":1,"#))
      let exported = Invocation(words: ["log", "export", place, "--format", "json"] + only)
      #expect(exported.lines.count == 3)
      let blamed = Invocation(words: ["log", "blame", place, "--json"] + only)
      #expect(blamed.lines.count == 2 && blamed.lines.allSatisfy { $0.contains(#""track""#) })
      let compared = Invocation(words: ["log", "diff", place, "--json"] + only)
      #expect(compared.lines.count == 2 && compared.lines.allSatisfy { $0.contains(#""track""#) })
      let report = try ReportData(page: Invocation(words: ["log", "report", place] + only).output)
      let tables = (report.object["tables"] as? [[String: Any]])?.map { $0["name"] as? String }
      #expect(tables == ["track"])
    }
  }

  @Test func `a column is found by any name that it has had, in its table`() throws {
    try withRenamed { stores in
      stores.sql("a", "UPDATE track SET name = 'a2' WHERE id = 1")
      sync(stores, "a")
      let place = stores.container
      let found = lines("grep", "a", place, "--column", "title")
      #expect(found.count == 2 && !found.contains { $0.contains("a title") }, "\(found)")
      let named = lines("grep", "a", place, "--column", "name")
      #expect(named.count == 3 && named.contains { $0.contains("a title") }, "\(named)")
      for column in ["title", "name"] {
        let blamed = lines(
          "blame", place, "--table", "track", "--column", column, "--key", "1", "--json")
        #expect(blamed.count == 1)
        #expect(blamed.first?.contains(#""name":{"value":"a2""#) == true, "\(blamed)")
        #expect(blamed.first?.contains("played") == false)
      }
    }
  }

  @Test(arguments: ["song", "track"])
  func `an export of one table with the schema has all of its rows`(table: String) throws {
    try withRenamed { stores in
      stores.sql("a", "UPDATE track SET name = 'a2' WHERE id = 1")
      sync(stores, "a")
      let run = Invocation("log", "export", stores.container, "--schema", "--table", table)
      #expect(run.status == .done)
      let copy = try Connection(path: stores.directory + "/copy.db", mode: .create)
      try copy.execute(run.output)
      let statement = try copy.prepare("SELECT id || name FROM track ORDER BY id")
      var rows: [String] = []
      while try statement.step() { rows.append(statement.string(0)) }
      #expect(rows == ["1a2", "2b"])
    }
  }

  @Test func `an export adds up a counter that has another name now`() throws {
    try withRenamed { stores in
      stores.sql("b", "UPDATE song SET plays = plays + 3")
      sync(stores, "b", "a", "b")
      let script = lines("export", stores.container)
      #expect(
        script.contains { $0.hasPrefix(#"UPDATE "song" SET "plays" = coalesce("plays", 0) + (3)"#) }
      )
    }
  }

  @Test func `a report finds writes of one row under two names of its table`() throws {
    try withRenamed { stores in
      stores.sql("a", "UPDATE track SET name = 'A', played = played + 1 WHERE id = 1")
      stores.sql("b", "UPDATE song SET title = 'B', plays = plays + 1 WHERE id = 1")
      sync(stores, "a", "b", "a")
      let page = Invocation("log", "report", stores.container).output
      let report = try ReportData(page: page)
      #expect(
        report["conflictCounts"] == #"{"delete":0,"insert":0,"number":0,"update":1}"#)
      let found = try #require((report.object["conflicts"] as? [[String: Any]])?.first)
      #expect(found["columns"] as? [String] == ["name"])
      #expect(found["answered"] as? Bool != true)
      // Whoever knows both settles it, under either name.
      stores.sql("b", "UPDATE song SET title = 'C' WHERE id = 1")
      sync(stores, "b")
      let later = try ReportData(page: Invocation("log", "report", stores.container).output)
      let settled = try #require((later.object["conflicts"] as? [[String: Any]])?.first)
      #expect(settled["answered"] as? Bool == true)
    }
  }
}
