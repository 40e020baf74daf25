import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases that join with a column of their own in a table that others have.
struct JoiningColumnTests {
  private static let table = "CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT)"
  private static let rows = "SELECT id, title, stars FROM album ORDER BY id"

  /// Makes a database that is no store.
  private func make(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// Expects the rows on all devices, and that the logs say the same.
  private func expect(
    _ rows: [String], _ sessions: SyncSession..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for session in sessions {
      #expect(try session.rows(Self.rows) == rows, sourceLocation: sourceLocation)
      let found = try Engine.verify(store: session.store.path)
      #expect(found.differences.isEmpty, "\(found.differences)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [TableMerge.Unit.column, .row])
  func `values of which no log says anything are published, and a replay gives them`(
    unit: TableMerge.Unit
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["album": TableMerge(merge: unit)])
      try make(
        devices, "a",
        Self.table + "; INSERT INTO album VALUES (1, 'Blue'), (2, 'Hejira'), (3, 'Court')")
      try devices.attach("a", merge: merge)
      let a = try devices.openFollowing("a")
      try a.execute("UPDATE album SET title = 'Hejira!' WHERE id = 2")
      try a.exchange()
      try make(
        devices, "b",
        """
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, stars INTEGER DEFAULT 4);
        INSERT INTO album VALUES (1, 'Blue', 2), (2, 'Mine', 5), (3, 'Court', 4), (9, 'New', 7)
        """)
      let b = try devices.openFollowing("b")
      try expectEqualAfterExchange(a, b)
      let c = try devices.openFollowing("c")
      try expectEqualAfterExchange(a, b, c)
      let rows = ["1|Blue|2", "2|Hejira!|5", "3|Court|4", "9|New|7"]
      try expect(rows, a, b, c)
      let lost = try a.conflicts().flatMap(\.values)
      #expect(lost.map(\.column) == ["title"] && lost.map(\.value) == [.string("Mine")])
      for session in [a, b, c] { session.store.close() }
      for name in ["a", "b", "c"] {
        let report = try Engine.rebuild(store: devices.path(name))
        #expect(report.setAside == nil)
        try expect(rows, devices.openFollowing(name))
      }
    }
  }

  @Test func `they are published of a row that has another number now, too`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.openFollowing("a", Self.table)
      let b = try devices.openFollowing("b", Self.table)
      try a.execute("INSERT INTO album VALUES (1, 'Blue')")
      try b.execute("INSERT INTO album VALUES (1, 'Hejira')")
      try exchange(a, b)
      for session in [a, b] {
        try session.execute("ALTER TABLE album ADD COLUMN stars INTEGER DEFAULT 4")
      }
      try exchange(a, b)
      let numbers = try b.rows("SELECT id FROM album ORDER BY id")
      try make(
        devices, "c",
        """
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, stars INTEGER DEFAULT 4);
        INSERT INTO album VALUES (\(numbers[0]), 'Hejira', 5), (1, 'Blue', 3)
        """)
      let c = try devices.openFollowing("c")
      try expectEqualAfterExchange(c, a, b)
      try expect(["\(numbers[0])|Hejira|5", "1|Blue|3"], a, b, c)
    }
  }

  @Test func `they stay until logs that are still missing say something else`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.openFollowing("a", Self.table)
      try a.execute("INSERT INTO album VALUES (1, 'Blue'), (2, 'Hejira')")
      try a.exchange()
      try a.execute("INSERT INTO album VALUES (3, 'Court')")
      try a.exchange()
      let log = "\(devices.container)/tributary/C/peers/\(a.store.peer)/log"
      let last = try #require(FileManager.default.contentsOfDirectory(atPath: log).max())
      try FileManager.default.moveItem(atPath: "\(log)/\(last)", toPath: directory + "/away")
      try make(
        devices, "b",
        """
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, stars INTEGER DEFAULT 4);
        INSERT INTO album VALUES (1, 'Blue', 2), (2, 'Mine', 5)
        """)
      let b = try devices.openFollowing("b")
      try expect(["1|Blue|2", "2|Hejira|5"], b)
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: "\(log)/\(last)")
      try expectEqualAfterExchange(a, b)
      try expect(["1|Blue|2", "2|Hejira|5", "3|Court|4"], a, b)
    }
  }

  @Test(arguments: ["", "CREATE TABLE nokey (x); INSERT INTO nokey VALUES (7);"])
  func `a row that no log mentions takes no UNIQUE key from logs that wait for a column`(
    others: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = "CREATE TABLE album (id TEXT PRIMARY KEY, title TEXT); \(others)"
      try make(devices, "a", tables + "INSERT INTO album VALUES ('1', 'Blue')")
      try make(devices, "b", tables + "INSERT INTO album VALUES ('1', 'Blue'), ('2', 'Blue')")
      let a = try devices.openFollowing("a")
      try a.execute(
        """
        ALTER TABLE album ADD COLUMN stars DEFAULT 1; UPDATE album SET stars = 2;
        CREATE UNIQUE INDEX by_title ON album (title)
        """)
      try a.exchange()
      let report = try devices.attach("b")
      #expect(report.isComplete && report.outcome == .joined(added: 1))
      let b = try devices.openFollowing("b")
      for session in [b, a, b] { _ = try session.synchronize() }
      #expect(try a.rows(Self.rows) == ["1|Blue|2"])
      let conflicts = try a.conflicts()
      #expect(conflicts.map(\.kind) == [.unique] && conflicts.map(\.loser.peer) == [b.store.peer])
      #expect(try b.rows(Self.rows) == ["1|Blue|2", "2|Blue|1"])
      for session in [a, b] {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        if !others.isEmpty { #expect(try session.rows("SELECT x FROM nokey") == ["7"]) }
      }
    }
  }
}
