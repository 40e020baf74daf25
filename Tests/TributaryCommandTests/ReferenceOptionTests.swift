import Foundation
import Testing
import TributaryCommand
import TributarySQLite
import TributaryTesting

/// `attach --refers` and `--foreign-keys`.
struct ReferenceOptionTests {
  private func withDatabase(_ script: String, _ body: (StoreFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      try FileManager.default.createDirectory(
        atPath: stores.container, withIntermediateDirectories: true)
      let connection = try Connection(path: stores.path("a"), mode: .create)
      try connection.execute(script)
      connection.close()
      try body(stores)
    }
  }

  @Test(arguments: [
    ["--refers", "items.album"], ["--refers", "items=albums.id"], ["--refers", "items.=albums.id"],
    ["--refers", "items.album=albums"], ["--foreign-keys", "off"],
    ["--refers", "items.album=albums.id", "--refers", "items.album=discs.id"],
  ])
  func `what the options do not take is wrong usage`(options: [String]) {
    let words = ["attach", "a.db", "--container", "c", "--name", "N"] + options
    #expect(Invocation(words: words).status == .usage)
  }

  @Test func `what looks like a reference is suggested with the option, which is then taken`()
    throws
  {
    let script = """
      CREATE TABLE albums (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE items (id INTEGER PRIMARY KEY, albumid INTEGER);
      INSERT INTO albums VALUES (3, 'x'); INSERT INTO items VALUES (1, 3)
      """
    try withDatabase(script) { stores in
      let option = "--refers items.albumid=albums.id"
      #expect(stores.attach("a", "--dry-run").output.contains(option))
      let run = stores.attach("a", "--refers", "items.albumid=albums.id")
      #expect(run.status == .done)
      #expect(!stores.attach("a", "--dry-run").output.contains("looks as if"))
      stores.sql("a", "DELETE FROM albums")
      let doctor = Invocation("doctor", stores.path("a"))
      #expect(doctor.status == .done)
      #expect(
        doctor.output.contains("1 row of table items refers by albumid to no row of albums: 1"))
    }
  }

  @Test(arguments: [
    (
      """
      CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT);
      CREATE TABLE moz_visits (id INTEGER PRIMARY KEY, place_id INTEGER, at INTEGER);
      INSERT INTO moz_places VALUES (3, 'x'); INSERT INTO moz_visits VALUES (1, 3, 7)
      """, "--refers moz_visits.place_id=moz_places.id"
    ),
    (
      """
      CREATE TABLE page (page_id INTEGER PRIMARY KEY, page_title TEXT);
      CREATE TABLE revision (rev_id INTEGER PRIMARY KEY, rev_page INTEGER, rev_comment TEXT);
      INSERT INTO page VALUES (3, 'x'); INSERT INTO revision VALUES (1, 3, 'c')
      """, "--refers revision.rev_page=page.page_id"
    ),
    (
      """
      CREATE TABLE files (idFile INTEGER PRIMARY KEY, strFilename TEXT);
      CREATE TABLE movie (idMovie INTEGER PRIMARY KEY, idFile INTEGER, c00 TEXT);
      CREATE TABLE settings (id INTEGER PRIMARY KEY, value);
      INSERT INTO files VALUES (3, 'x'); INSERT INTO movie VALUES (1, 3, 'c');
      INSERT INTO settings VALUES (3, 7)
      """, "--refers movie.idFile=files.idFile"
    ),
  ])
  func `a prefix that many names have, or the name of a key, hides no reference`(
    script: String, option: String
  ) throws {
    try withDatabase(script) { stores in
      let output = stores.attach("a", "--dry-run").output
      #expect(output.contains(option))
      #expect(output.split(separator: "\n").count { $0.contains("looks as if") } == 1)
    }
  }

  @Test func `rows without parents are kept, and sql writes more of them`() throws {
    let script = """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE);
      INSERT INTO child VALUES (1, 7)
      """
    try withDatabase(script) { stores in
      let refused = stores.attach("a", "--foreign-keys", "enforce")
      #expect(refused.status == .failed)
      #expect(refused.errors.contains("row 1 of table child refers to a row of parent"))
      #expect(refused.errors.contains("this goes through: tributary attach"))
      let run = stores.attach("a")
      #expect(run.status == .done)
      #expect((run.output + run.errors).contains("foreign keys are not enforced"))
      #expect(Invocation("sync", stores.path("a")).status == .done)
      #expect(stores.attach("b").status == .done)
      stores.sql("b", "INSERT INTO child VALUES (2, 8); INSERT INTO parent VALUES (7)")
      stores.sql("b", "DELETE FROM parent")
      for name in ["b", "a"] { #expect(Invocation("sync", stores.path(name)).status == .done) }
      #expect(stores.sql("a", "SELECT id, parent FROM child ORDER BY id") == "1\t7\n2\t8\n")
      for name in ["a", "b"] {
        #expect(Invocation("verify", stores.path(name)).status == .done)
        #expect(Invocation("doctor", stores.path(name)).status == .done)
      }
    }
  }
}
