import Testing
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Baselines, and databases that differ from that of their writer.
struct BaselineFitTests {
  @Test func `what does not fit the tables here is passed over, and said`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      let report = try devices.attach(
        "c",
        """
        CREATE TABLE album (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE pair (a TEXT, b INTEGER, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE TABLE loose (x, y);
        """)
      #expect(report.baseline == nil)
      #expect(
        report.warnings.contains(
          "the baseline \(baseline.path) was not used: there is no table track here"))
      // The logs say the same: what needs that table waits.
      #expect(!report.waiting.isEmpty)
    }
  }

  @Test func `tables that are left out here are left out of it`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      let report = try devices.attach("c", tables: .except(["track", "loose"]))
      #expect(report.baseline == baseline.path)
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT count(*) FROM track") == ["0"])
      #expect(try c.rows("SELECT count(*) FROM album") == a.rows("SELECT count(*) FROM album"))
      #expect(try Set(c.conflicts().map(\.table)).isDisjoint(with: ["track", "loose"]))
      #expect(try Engine.verify(store: devices.path("c")).differenceCount == 0)
    }
  }

  @Test func `tables with additional columns here are served by the logs`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      let report = try devices.attach(
        "c",
        BaselineLibrary.schema.replacing(
          "plays INTEGER)", with: "plays INTEGER, stars INTEGER DEFAULT 3)"))
      #expect(report.baseline == nil)
      #expect(
        report.warnings.contains(
          "the baseline \(baseline.path) was not used: its table track has no column stars"))
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT DISTINCT stars FROM track") == ["3"])
      #expect(try Engine.verify(store: devices.path("c")).differenceCount == 0)
    }
  }

  @Test func `tables and indexes that the application has besides do no harm`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      let report = try devices.attach(
        "c",
        BaselineLibrary.schema
          + "CREATE TABLE more (k PRIMARY KEY); CREATE INDEX by_album ON track (album);"
          + "CREATE VIEW titles AS SELECT title FROM track; INSERT INTO more VALUES (1);")
      #expect(report.baseline == baseline.path)
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT count(*) FROM titles") == a.rows("SELECT count(*) FROM track"))
      #expect(try c.rows("PRAGMA integrity_check") == ["ok"])
      #expect(try Engine.verify(store: devices.path("c")).differenceCount == 0)
    }
  }

  @Test func `full-text indexes that triggers fill are filled`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open(
        "a",
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE VIRTUAL TABLE words USING fts5 (text, content = 'note', content_rowid = 'id');
        CREATE TRIGGER note_in AFTER INSERT ON note BEGIN
          INSERT INTO words (rowid, text) VALUES (new.id, new.text); END;
        """)
      try a.execute("INSERT INTO note (text) VALUES ('a red house'), ('a green tree')")
      let baseline = try a.writeBaseline()
      #expect(try devices.attach("b").baseline == baseline.path)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT rowid FROM words WHERE words MATCH 'green'") == ["2"])
    }
  }

  @Test func `tables outside replication that triggers fill are filled`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = """
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE size (note INTEGER PRIMARY KEY, length INTEGER);
        CREATE TRIGGER note_in AFTER INSERT ON note BEGIN
          INSERT INTO size VALUES (new.id, length(new.text)); END;
        """
      let a = try devices.open("a", tables, tables: .only(["note"]))
      try a.execute("INSERT INTO note (text) VALUES ('one'), ('three')")
      let baseline = try a.writeBaseline()
      let report = try devices.attach("b", tables: .only(["note"]))
      #expect(report.baseline == baseline.path)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT * FROM size") == ["1|3", "2|5"])
    }
  }
}
