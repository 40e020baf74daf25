import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Baselines of databases as programs make them: with JSON in their schema, in UTF-16, with functions of their own.
struct ProgramSchemaTests {
  /// Makes a database as a program does, and attaches it.
  private func adopt(
    _ devices: SyncDevices, _ sql: String, tables: TableSelection? = nil
  ) throws -> SyncSession {
    let connection = try Connection(path: devices.path("a"), mode: .create)
    try connection.execute(sql)
    connection.close()
    return try devices.open("a", tables: tables)
  }

  private func expectServing(
    _ devices: SyncDevices, _ a: SyncSession, _ query: String
  ) throws {
    let baseline = try a.writeBaseline()
    let report = try devices.attach("b")
    #expect(report.baseline == baseline.path, "\(report.warnings) \(report.damaged)")
    let rows = try a.rows(query)
    a.store.close()
    for name in ["b", "a"] {
      let store = devices.path(name)
      #expect(try Engine.verify(store: store).differenceCount == 0)
      let session = try SyncSession(store: store)
      #expect(try session.rows(query) == rows)
      session.store.close()
      #expect(try Engine.rebuild(store: store).transactions > 0)
      let again = try SyncSession(store: store)
      #expect(try again.rows(query) == rows)
    }
  }

  @Test(arguments: [
    "CREATE INDEX i ON doc (json_extract(j, '$.id'))",
    "CREATE UNIQUE INDEX i ON doc (j ->> '$.id') WHERE json_valid(j)",
    "ALTER TABLE doc ADD COLUMN g AS (json_extract(j, '$.id'))",
    "CREATE TABLE other (j CHECK (json_valid(j)))",
  ])
  func `functions of SQLite for JSON may be in the schema`(sql: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try adopt(
        devices,
        """
        CREATE TABLE doc (id INTEGER PRIMARY KEY, j TEXT); \(sql);
        INSERT INTO doc (j) VALUES ('{"id":1}'), ('{"id":2}'), (NULL);
        """)
      try expectServing(devices, a, "SELECT id, j FROM doc")
    }
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `a database in another encoding serves, and is served`(encoding: String) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try adopt(
        devices,
        """
        PRAGMA encoding = '\(encoding)';
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, b BLOB, n REAL);
        CREATE TABLE loose (rowid TEXT, v);
        CREATE TABLE pair (a TEXT COLLATE NOCASE, b INTEGER, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
        INSERT INTO note VALUES (1, 'größer 🌊', x'00ff', 1.5), (7, NULL, NULL, -0.0);
        INSERT INTO loose VALUES ('x', 1), ('y', 2);
        INSERT INTO pair VALUES ('é', 1, 'v'), ('', 1, NULL);
        """)
      try expectServing(
        devices, a,
        """
        SELECT id, text, hex(b), n FROM note UNION ALL SELECT rowid, v, NULL, NULL FROM loose
        UNION ALL SELECT b, a, v, NULL FROM pair ORDER BY 1, 2
        """)
    }
  }

  @Test func `a table that is left out may need what only its program has`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let path = devices.path("a")
      let connection = try Connection(path: path, mode: .create)
      try connection.execute(
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, v); INSERT INTO note VALUES (1, 'one'), (2, 'two');
        CREATE TABLE deck (id INTEGER PRIMARY KEY, n TEXT COLLATE RTRIM, m);
        CREATE INDEX by_name ON deck (n); CREATE INDEX by_text ON deck (lower(m));
        INSERT INTO deck VALUES (1, 'x', 'Y'); CREATE INDEX by_value ON note (v);
        """)
      connection.close()
      var bytes = try Data(contentsOf: URL(filePath: path))
      for (known, unknown) in [("RTRIM", "OTHER"), ("lower(m)", "lofer(m)")] {
        while let range = bytes.range(of: Data(known.utf8)) {
          bytes.replaceSubrange(range, with: Data(unknown.utf8))
        }
      }
      try bytes.write(to: URL(filePath: path))
      let tables = TableSelection.except(["deck"])
      let a = try devices.open("a", tables: tables)
      try expectServing(devices, a, "SELECT id, v FROM note")
      let findings = try Engine.diagnose(store: path)
      #expect(findings.filter { $0.severity != .note }.isEmpty, "\(findings)")
    }
  }
}
