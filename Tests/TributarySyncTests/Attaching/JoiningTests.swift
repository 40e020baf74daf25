import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Databases with rows that are attached where logs are.
struct JoiningTests {
  private static let tables = """
    CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, author TEXT);
    CREATE TABLE tag (name TEXT PRIMARY KEY, label TEXT UNIQUE, plays INTEGER DEFAULT 0);
    """

  /// Makes a database that is no store.
  private func make(_ devices: SyncDevices, _ name: String, _ sql: String) throws {
    let connection = try Connection(path: devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(Self.tables + sql)
  }

  private func rows(_ devices: SyncDevices, _ name: String, _ sql: String) throws -> [String] {
    let connection = try Connection(path: devices.path(name), mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() { rows.append(statement.string(0)) }
    return rows
  }

  /// The segments of a peer, in order.
  private func segments(_ devices: SyncDevices, of peer: PeerIdentity) throws -> [String] {
    let log = "\(devices.container)/tributary/C/peers/\(peer)/log"
    return try FileManager.default.contentsOfDirectory(atPath: log).sorted().map { "\(log)/\($0)" }
  }

  @Test func `what the logs contradict is a conflict, the same everywhere, and comes back`() throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      try a.execute(
        "INSERT INTO note VALUES (1, 'theirs', 'A'), (2, 'gone', 'A'), (3, 'same', 'A')")
      try a.execute("DELETE FROM note WHERE id = 2")
      try a.exchange()
      try make(
        devices, "b",
        "INSERT INTO note VALUES (1, 'mine', 'A'), (2, 'kept', 'B'), (3, 'same', 'A'), (9, 'new', 'B')"
      )
      let report = try devices.attach("b")
      #expect(report.outcome == .joined(added: 1))
      #expect(report.conflicts == 2 && report.isComplete && report.setAside == nil)
      let b = try SyncSession(store: devices.path("b"))
      #expect(
        try b.rows("SELECT text FROM note ORDER BY id") == ["theirs", "same", "new"])
      let conflicts = try b.conflicts().sorted {
        $0.key[0] == .integer(1) && $1.key[0] != .integer(1)
      }
      #expect(conflicts.map(\.key) == [[.integer(1)], [.integer(2)]])
      #expect(conflicts[0].values.map(\.column) == ["text"])
      try expectEqualAfterExchange(a, b)
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
      for conflict in try b.conflicts() { _ = try b.resolve(conflict.id, .restore) }
      try expectEqualAfterExchange(a, b)
      #expect(
        try a.rows("SELECT text FROM note ORDER BY id") == ["mine", "kept", "same", "new"])
      #expect(try a.conflicts().isEmpty)
    }
  }

  @Test func `what the logs contradict is a conflict also where these logs are still missing`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      try a.execute("INSERT INTO note VALUES (1, 'theirs', 'A')")
      try a.exchange()
      try make(devices, "b", "INSERT INTO note VALUES (1, 'mine', 'A')")
      let b = try devices.open("b")
      try b.exchange()
      let log = "\(devices.container)/tributary/C/peers/\(a.store.peer)/log"
      try FileManager.default.moveItem(atPath: log, toPath: directory + "/away")
      let c = try devices.open("c", Self.tables)
      _ = try c.synchronize()
      let conflict = try #require(try c.conflicts().first)
      #expect(conflict.kind == .delete && conflict.values.map(\.column) == ["text"])
      #expect(conflict.winner == conflict.loser && conflict.loser.peer == b.store.peer)
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: log)
      try expectEqualAfterExchange(a, b, c)
      #expect(try c.conflicts().map(\.kind) == [.update])
      #expect(try c.conflicts() == a.conflicts())
    }
  }

  @Test func `adopted rows of the logs win over those of a database that joins them`() throws {
    for _ in 0..<8 {
      try withTemporaryDirectory { directory in
        let devices = try SyncDevices(in: directory)
        try make(devices, "a", "INSERT INTO note VALUES (1, 'theirs', 'A')")
        let a = try devices.open("a")
        try a.exchange()
        try make(devices, "b", "INSERT INTO note VALUES (1, 'mine', 'A')")
        let b = try devices.open("b")
        #expect(try b.rows("SELECT text FROM note") == ["theirs"])
        try expectEqualAfterExchange(a, b)
        #expect(try a.conflicts().count == 1)
      }
    }
  }

  @Test func `a row that clashes over a UNIQUE key is held, and those of the logs stay`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      try a.execute("INSERT INTO tag (name, label) VALUES ('x', 'one')")
      try a.exchange()
      try make(devices, "b", "INSERT INTO tag (name, label) VALUES ('y', 'one')")
      let b = try devices.open("b")
      #expect(try b.rows("SELECT name FROM tag") == ["x"])
      #expect(try b.conflicts().map(\.isHeld) == [true])
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test(arguments: ["missing", "empty", "torn", "withheld"])
  func `rows behind a gap stay, and are deleted where the logs say so when it closes`(
    damage: String
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.tables)
      for step in 1...4 {
        try a.execute("INSERT INTO note VALUES (\(step), 'row \(step)', 'A')")
        try a.exchange()
      }
      do {
        let b = try devices.open("b")
        try b.exchange()
        try b.execute("INSERT INTO note VALUES (10, 'mine', 'B')")
        try b.exchange()
      }
      try a.exchange()
      try a.execute("DELETE FROM note WHERE id = 3")
      try a.exchange()
      let files = try segments(devices, of: a.store.peer)
      let hidden = damage == "withheld" ? files.suffix(3) : files[1...1]
      var contents: [(String, Data)] = []
      for file in hidden {
        let bytes = try Data(contentsOf: URL(filePath: file))
        contents.append((file, bytes))
        switch damage {
        case "empty": try Data().write(to: URL(filePath: file))
        case "torn": try bytes.prefix(bytes.count / 2).write(to: URL(filePath: file))
        default: try FileManager.default.removeItem(atPath: file)
        }
      }
      try Engine.detach(store: devices.path("b"), removeLogs: false)
      let before = try rows(devices, "b", "SELECT text FROM note ORDER BY id")
      #expect(before.count == 5)
      let report = try devices.attach("b")
      #expect(!report.isComplete)
      let again = try SyncSession(store: devices.path("b"))
      #expect(try again.rows("SELECT text FROM note ORDER BY id") == before)
      for (file, bytes) in contents { try bytes.write(to: URL(filePath: file)) }
      try expectEqualAfterExchange(a, again)
      #expect(
        try again.rows("SELECT id FROM note ORDER BY id") == ["1", "2", "4", "10"])
      // What was deleted is listed.
      #expect(try again.conflicts().map(\.key) == [[.integer(3)]])
    }
  }

  @Test func `values of columns with a policy are set aside in a file that is named`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["tag": TableMerge(columns: ["plays": .counter])])
      let a = try devices.open("a", Self.tables, merge: merge)
      try a.execute("INSERT INTO tag VALUES ('x', 'one', 5)")
      try a.exchange()
      try make(devices, "b", "INSERT INTO tag VALUES ('x', 'one', 7)")
      let copy = try #require(try devices.attach("b").setAside)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT plays FROM tag") == ["5"])
      let connection = try Connection(path: copy, mode: .readWrite)
      #expect(try connection.integer("SELECT plays FROM tag") == 7)
    }
  }

  @Test func `a row without its parent is held, and listed`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = """
        CREATE TABLE album (id TEXT PRIMARY KEY);
        CREATE TABLE song (id TEXT PRIMARY KEY, album TEXT REFERENCES album);
        """
      let a = try devices.open("a", tables)
      try a.execute("INSERT INTO album VALUES ('a')")
      try a.exchange()
      try devices.attach("b")
      try Engine.detach(store: devices.path("b"), removeLogs: false)
      try a.execute("DELETE FROM album")
      try a.exchange()
      let plain = try Connection(path: devices.path("b"), mode: .readWrite)
      try plain.execute("INSERT INTO song VALUES ('s', 'a')")
      plain.close()
      let again = try devices.open("b")
      #expect(try again.rows("SELECT * FROM song") == [])
      #expect(Set(try again.conflicts().map(\.table)) == ["album", "song"])
      try expectEqualAfterExchange(a, again)
    }
  }

  @Test func `what a database says of two numbers that are one row elsewhere is one conflict`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let sessions = try ["a", "b", "c"].map { try devices.open($0, Self.tables) }
      let (a, b, c) = (sessions[0], sessions[1], sessions[2])
      for (session, name) in [(a, "a"), (b, "b"), (c, "c")] {
        try session.execute("INSERT INTO note VALUES (1, '\(name)', '\(name)')")
      }
      try exchange(a, b, c)
      let number = try a.rows("SELECT id FROM note WHERE text = 'b'")[0]
      try make(
        devices, "j", "INSERT INTO note VALUES (1, 'mine', 'a'), (\(number), 'b', 'mine too')")
      try devices.open("j").exchange()
      let peer = "\(devices.container)/tributary/C/peers/\(a.store.peer)"
      try FileManager.default.moveItem(atPath: peer, toPath: directory + "/away")
      // Without the first row, the second one has the number.
      let late = try devices.open("late")
      #expect(try late.rows("SELECT text FROM note WHERE id = 1") == ["b"])
      #expect(try late.conflicts().map { $0.values.map(\.column) } == [["text", "author"]])
      try FileManager.default.moveItem(atPath: directory + "/away", toPath: peer)
      try expectEqualAfterExchange(a, b, c, late)
      #expect(
        try late.conflicts().map { $0.values.map(\.column) }.sorted { $0[0] < $1[0] }
          == [["author"], ["text"]])
    }
  }
}
