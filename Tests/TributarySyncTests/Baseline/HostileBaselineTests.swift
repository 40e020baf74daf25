import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributarySQLite
import TributarySync
import TributaryTesting

/// Baselines that somebody has made who can write the container: they bring rows, or nothing.
struct HostileBaselineTests {
  private static let schema =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL CHECK (v <> ''))"

  /// A store with two rows, and the database of its baseline.
  private func withImage(
    _ body: (SyncDevices, SyncSession, _ image: String, _ header: BaselineHeader) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.schema)
      try a.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
      let baseline = try a.writeBaseline()
      let store = try baselines(devices, a)
      let name = try #require(try store.names().first)
      let image = directory + "/image"
      var bytes = Data()
      let header = try store.read(name) { bytes.append(contentsOf: $0) }
      try bytes.write(to: URL(filePath: image))
      try FileManager.default.removeItem(atPath: baseline.path)
      try body(devices, a, image, header)
    }
  }

  private func baselines(_ devices: SyncDevices, _ a: SyncSession) throws -> BaselineStore {
    BaselineStore(
      ContentDirectory(container: devices.container, name: try ContentName("C")),
      peer: a.store.peer, using: LocalFileSystem())
  }

  private func publish(
    _ image: String, _ header: BaselineHeader, _ devices: SyncDevices, _ a: SyncSession
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
    var header = header
    header.databaseSize = UInt64(bytes.count)
    var source = MemorySource(bytes)
    _ = try baselines(devices, a).publish(header, &source, level: 0)
  }

  @Test func `an untouched one serves`() throws {
    try withImage { devices, a, image, header in
      try publish(image, header, devices, a)
      #expect(try devices.attach("b").baseline != nil)
    }
  }

  @Test(arguments: [
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE VIEW v AS SELECT randomblob(1000000000)",
    "CREATE INDEX i ON t (v)",
    "ALTER TABLE t ADD COLUMN g AS (upper(v))",
    "CREATE TABLE u (a DEFAULT (randomblob(1000000000)), b)",
    "CREATE VIRTUAL TABLE w USING fts5 (x); INSERT INTO w VALUES ('words')",
    "PRAGMA user_version = 7; PRAGMA application_id = 8",
  ])
  func `only rows are taken from one that has more than the tables here`(sql: String) throws {
    try withImage { devices, a, image, header in
      try change(image, sql)
      try publish(image, header, devices, a)
      let report = try devices.attach("b")
      #expect(report.baseline != nil, "\(report.damaged)")
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT v FROM t") == ["one", "two"])
      let names = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1"
      #expect(try b.rows(names) == a.rows(names))
      #expect(try b.rows("PRAGMA user_version") == ["0"])
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test(arguments: [
    "ALTER TABLE t ADD COLUMN strange DEFAULT 5",
    "ALTER TABLE t RENAME COLUMN id TO other",
    "ALTER TABLE t RENAME TO u",
    "CREATE TABLE u (a, b); INSERT INTO u VALUES (1, 2)",
    "DROP TABLE tributary_held",
    "DROP TABLE tributary_store",
    "ALTER TABLE tributary_claim RENAME COLUMN time TO moment",
    "DROP TABLE tributary_birth; CREATE VIEW tributary_birth AS SELECT 1",
  ])
  func `one with other tables is passed over, and the logs serve`(sql: String) throws {
    try withImage { devices, a, image, header in
      try change(image, sql)
      try publish(image, header, devices, a)
      let report = try devices.attach("b")
      #expect(report.baseline == nil)
      #expect(report.warnings.contains { $0.contains("was not used: ") })
      #expect(try SyncSession(store: devices.path("b")).rows("SELECT v FROM t") == ["one", "two"])
    }
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (1, 'again')", "INSERT INTO t VALUES (3, NULL)",
    "INSERT INTO t VALUES (3, '')", "UPDATE t SET id = 'text' WHERE id = 1",
    "DROP TABLE tributary_held; CREATE TABLE tributary_held (\"table\", key, held, cells); "
      + "INSERT INTO tributary_held VALUES ('t', NULL, NULL, NULL)",
  ])
  func `one with rows that the tables refuse is named, and the logs serve`(sql: String) throws {
    try withImage { devices, a, image, header in
      try change(
        image,
        "CREATE TABLE u (id, v); INSERT INTO u SELECT * FROM t; DROP TABLE t; "
          + "ALTER TABLE u RENAME TO t; " + sql)
      try publish(image, header, devices, a)
      let report = try devices.attach("b")
      #expect(report.baseline == nil)
      #expect(report.damaged.count == 1)
      #expect(try SyncSession(store: devices.path("b")).rows("SELECT v FROM t") == ["one", "two"])
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test(arguments: [true, false])
  func `what a false baseline has done to a store is found, and mended`(isDeclared: Bool) throws {
    try withImage { devices, a, image, header in
      try change(
        image,
        "CREATE TABLE u (id, v); INSERT INTO u VALUES (1, 'one'), (2, ''); DROP TABLE t; "
          + "ALTER TABLE u RENAME TO t; PRAGMA writable_schema = ON; "
          + "UPDATE sqlite_schema SET sql = \(Self.schema.quotedLiteral) WHERE name = 't'")
      var header = header
      if !isDeclared { header.declaration = nil }
      try publish(image, header, devices, a)
      let path = try #require(try devices.attach("b").baseline)
      if isDeclared {
        // Where a store has forgotten, nothing but the baseline says what was before.
        let error = #expect(throws: ContainerError.self) {
          try Engine.verify(store: devices.path("b"))
        }
        #expect(error?.code == .damagedFile)
        #expect(error?.path == path)
        try FileManager.default.removeItem(atPath: path)
        _ = try a.writeBaseline()
      } else {
        #expect(try Engine.verify(store: devices.path("b")).differenceCount > 0)
      }
      #expect(try Engine.rebuild(store: devices.path("b")).transactions == 1)
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
      #expect(try SyncSession(store: devices.path("b")).rows("SELECT v FROM t") == ["one", "two"])
    }
  }

  private func change(_ image: String, _ sql: String) throws {
    let connection = try Connection(path: image, mode: .readWrite)
    try connection.execute(sql)
    connection.close()
  }

  @Test func `a damaged database in a whole file stops nobody`() throws {
    try withImage { devices, a, image, header in
      let whole = [UInt8](try Data(contentsOf: URL(filePath: image)))
      try withSeeds(1..<41) { random in
        var bytes = whole
        switch random.number(0...3) {
        case 0: bytes.removeLast(random.number(1...bytes.count))
        case 1:
          for place in 0..<min(100, bytes.count) { bytes[place] = UInt8(random.number(0...255)) }
        default:
          for _ in 0...random.number(0...30) {
            bytes[random.number(0...bytes.count - 1)] = UInt8(random.number(0...255))
          }
        }
        try Data(bytes).write(to: URL(filePath: image))
        try publish(image, header, devices, a)
        let name = "b\(random.seed)"
        let report = try devices.attach(name)
        if report.baseline == nil { #expect(!report.damaged.isEmpty || !report.warnings.isEmpty) }
        let session = try SyncSession(store: devices.path(name))
        if report.baseline == nil {
          #expect(try session.rows("SELECT v FROM t") == ["one", "two"])
        }
        session.store.close()
        for baseline in try baselines(devices, a).names() {
          try baselines(devices, a).remove(baseline)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `one whose transactions are not those of the logs is passed over`(isDeclared: Bool) throws {
    try withImage { devices, a, image, header in
      var other = header
      other.entries[0].time = HybridTime(rawValue: header.entries[0].time.rawValue + 1)
      let declaration = try #require(header.declaration)
      other.declaration =
        isDeclared
        ? Declaration(
          weight: declaration.weight, members: declaration.members, entries: other.entries) : nil
      try publish(image, other, devices, a)
      let report = try devices.attach("b")
      #expect(report.baseline == nil)
      #expect(report.warnings.contains { $0.hasSuffix("in place of some of its own") })
      #expect(try SyncSession(store: devices.path("b")).rows("SELECT v FROM t") == ["one", "two"])
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `the owner removes none of a newer format`() throws {
    try withImage { devices, a, image, header in
      try publish(image, header, devices, a)
      let store = try baselines(devices, a)
      let name = try #require(try store.names().first)
      var bytes = [UInt8](try Data(contentsOf: URL(filePath: store.path(of: name))))
      bytes[16] = 2
      let newer = BaselineName(
        sequence: name.sequence, hash: bytes.withUnsafeBytes { SegmentHash.hash($0) })
      try Data(bytes).write(to: URL(filePath: store.path(of: newer)))
      for id in 3...5 {
        try a.execute("INSERT INTO t VALUES (\(id), 'more')")
        #expect(try !a.writeBaseline().removed.contains(store.path(of: newer)))
      }
      #expect(try store.names().count == 3)
    }
  }

  @Test func `one of another content, or of another peer, is none`() throws {
    try withImage { devices, a, image, header in
      var other = header
      other.contentName = "D"
      try publish(image, other, devices, a)
      other = header
      other.peer = PeerIdentity(high: 1, low: 1)
      try publish(image, other, devices, a)
      let report = try devices.attach("b")
      #expect(report.baseline == nil)
      #expect(report.damaged.count == 2)
    }
  }
}
