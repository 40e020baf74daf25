import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases of a newer version that join before the other devices have run the migration that renames.
struct TwofoldNameTests {
  private static let first = Migration(
    name: "1", sql: "CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT)")

  /// What a newer version has, and what its migration declares.
  enum Renaming: String, CaseIterable {
    case table = "rename song to track"
    case column = "rename song.title to song.name"

    var tables: String {
      switch self {
      case .table: "CREATE TABLE track (id INTEGER PRIMARY KEY, title TEXT)"
      case .column: "CREATE TABLE song (id INTEGER PRIMARY KEY, name TEXT)"
      }
    }

    var statement: String {
      switch self {
      case .table: "ALTER TABLE song RENAME TO track"
      case .column: "ALTER TABLE song RENAME COLUMN title TO name"
      }
    }

    var newest: String { self == .table ? "track" : "song" }

    var phrase: String {
      switch self {
      case .table: "tables song and track are one table by a migration that has run on peer"
      case .column:
        "columns name and title of table song are one column by a migration that has run on peer"
      }
    }
  }

  @Test(arguments: Renaming.allCases)
  func `what is there under both names is named, and the remedy ends it`(renaming: Renaming) throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.execute("INSERT INTO song VALUES (1, 'a'), (2, 'b')")
      try a.exchange()
      let connection = try Connection(path: devices.path("n"), mode: .create)
      try connection.execute(
        "\(renaming.tables); INSERT INTO \(renaming.newest) VALUES (1, 'a'), (30, 'new')")
      connection.close()
      let n = try devices.openFollowing("n")
      try n.exchange()
      #expect(try n.synchronize().stopped == [])
      try a.store.migrate([
        Self.first,
        Migration(name: "2", sql: "-- tributary: \(renaming.rawValue)\n\(renaming.statement)"),
      ])
      try a.exchange()
      let second = renaming == .table ? "INSERT INTO song VALUES (50, 'old')" : ""
      try n.execute("INSERT INTO \(renaming.newest) (id) VALUES (51); \(second)")
      // As long as it lasts, also when there is nothing else to do.
      for _ in 0..<3 {
        let report = try n.synchronize()
        #expect(report.failure == nil)
        #expect(report.stopped.count == 1)
        let found = try #require(report.stopped.first)
        #expect(found.message.hasPrefix("\(renaming.phrase) \(a.store.peer)"), "\(found)")
        #expect(found.remedy.contains("move the file aside"))
        #expect(try n.status().findings.contains(found.description))
        let diagnosed = try Engine.diagnose(store: devices.path("n")).filter { $0.code == .table }
        #expect(diagnosed.map { $0.explanation } == [found.message])
        #expect(try a.synchronize().stopped == [])
      }
      // Nor do the migrations count as run.
      #expect {
        try n.store.migrate([
          Self.first,
          Migration(name: "2", sql: "-- tributary: \(renaming.rawValue)\n\(renaming.statement)"),
        ])
      } throws: {
        "\($0)".contains("move the file aside, and attach with the migrations")
      }
      n.store.close()
      _ = try Engine.detach(store: devices.path("n"), removeLogs: false)
      try FileManager.default.moveItem(
        atPath: devices.path("n"), toPath: devices.path("aside"))
      let again = try devices.openFollowing("n")
      try expectEqualAfterExchange(a, again)
      let rows = try again.rows("SELECT id FROM \(renaming.newest) ORDER BY id")
      #expect(
        rows == (renaming == .table ? ["1", "2", "30", "50", "51"] : ["1", "2", "30", "51"]))
      for session in [a, again] {
        #expect(try session.synchronize().stopped == [])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(arguments: Renaming.allCases)
  func `a database that has both names of a renaming is not attached`(renaming: Renaming) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.first.sql)
      try a.execute("INSERT INTO song VALUES (1, 'a')")
      try a.exchange()
      try a.store.migrate([
        Self.first,
        Migration(name: "2", sql: "-- tributary: \(renaming.rawValue)\n\(renaming.statement)"),
      ])
      try a.exchange()
      var connection = try Connection(path: devices.path("n"), mode: .create)
      try connection.execute(
        renaming == .table
          ? "\(Self.first.sql); \(renaming.tables); INSERT INTO track VALUES (1, 'a'), (2, 'new')"
          : """
          CREATE TABLE song (id INTEGER PRIMARY KEY, name TEXT, title TEXT);
          INSERT INTO song VALUES (1, 'a', 'other'), (2, 'new', 'other')
          """)
      connection.close()
      let file = try Data(contentsOf: URL(filePath: devices.path("n")))
      let present = try devices.present()
      let newest = renaming == .table ? "table track" : "column name"
      #expect {
        try devices.attach("n")
      } throws: {
        "\($0)".contains("\(renaming.phrase) \(a.store.peer)")
          && "\($0)".contains("copy what is to stay into \(newest), drop the other one")
      }
      let request = AttachRequest(
        store: devices.path("n"), container: devices.container, contentName: "C")
      #expect(try Engine.rehearse(request).refusals.count == 1)
      #expect(try Data(contentsOf: URL(filePath: devices.path("n"))) == file)
      #expect(try devices.present() == present)
      connection = try Connection(path: devices.path("n"), mode: .readWrite)
      try connection.execute(
        renaming == .table ? "DROP TABLE song" : "ALTER TABLE song DROP COLUMN title")
      connection.close()
      let n = try devices.open("n")
      try expectEqualAfterExchange(a, n)
      #expect(
        try a.rows("SELECT * FROM \(renaming.newest) ORDER BY id") == ["1|a", "2|new"])
      #expect(try n.synchronize().stopped == [])
    }
  }
}
