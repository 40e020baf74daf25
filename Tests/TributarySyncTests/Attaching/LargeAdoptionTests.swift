import Foundation
import Glibc
import Testing
import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Large databases whose rows go straight into a first baseline.
struct LargeAdoptionTests {
  private static let count = 2000

  /// Makes a database of more than five million bytes that is no store.
  private func makeDatabase(_ fleet: HorizonFleet, _ name: String, _ more: String = "") throws {
    let connection = try Connection(path: fleet.devices.path(name), mode: .create)
    defer { connection.close() }
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
      CREATE TABLE tag (name TEXT PRIMARY KEY, label TEXT) WITHOUT ROWID;
      INSERT INTO tag VALUES ('a', 'first'), ('b', 'second');
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
      INSERT INTO t SELECT i, printf('%d:%2500c', i, 'x') FROM n;
      \(more)
      """)
  }

  private func fileSize(_ fleet: HorizonFleet, _ name: String) throws -> Int {
    let path = fleet.devices.path(name)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  private func withFleet(isCarried: Bool = false, _ body: (HorizonFleet) throws -> Void) throws {
    try withTemporaryDirectory { try body(HorizonFleet(in: $0, schema: "", isCarried: isCarried)) }
  }

  private func differences(_ fleet: HorizonFleet, _ name: String) throws -> [String] {
    try Engine.verify(store: fleet.devices.path(name), environment: fleet.environment)
      .differences.map(\.description)
  }

  @Test func `it grows by less than two hundredths, and new devices begin with its baseline`()
    throws
  {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      let before = try fileSize(fleet, "a")
      #expect(try fleet.attach("a").outcome == .adopted(rows: Self.count + 2))
      #expect(try fileSize(fleet, "a") * 100 < before * 102)
      #expect(try fleet.baselines("a") == [fleet.record("a").settled])
      #expect(try !fleet["a"].store.hasForeignWrites())
      try fleet["a"].exchange()
      #expect(try fleet.segments("a") == [])
      #expect(try fileSize(fleet, "a") * 100 < before * 102)

      try fleet.attach("b")
      try fleet.write("UPDATE t SET v = 'of b' WHERE id = 1; DELETE FROM t WHERE id = 2", on: "b")
      try fleet.write("INSERT INTO t VALUES (0, 'of a')", on: "a")
      try fleet.write("UPDATE tag SET label = 'third' WHERE name = 'b'", on: "a")
      try fleet.meet()
      try fleet.expectEqual()
      #expect(
        try fleet["a"].rows("SELECT count(*), min(id) FROM t") == ["\(Self.count)|0"])
      #expect(try fleet["b"].rows("SELECT label FROM tag") == ["first", "third"])
      for name in ["a", "b"] {
        #expect(try differences(fleet, name) == [])
        #expect(try fleet[name].conflicts() == [])
      }
    }
  }

  @Test func `a process that starts anew does not read a baseline to its end again`() throws {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      try fleet.attach("a")
      for _ in 0..<2 { try fleet["a"].exchange() }
      func looks() throws -> Int {
        let count = fleet.files.openCount
        try fleet.open("a")
        try fleet["a"].exchange()
        return fleet.files.openCount - count
      }
      let count = try looks()
      // One that looks otherwise is.
      let directory = try fleet.directory.baseline(of: fleet.peer("a"))
      for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: "\(directory)/\(name)")
      }
      #expect(try looks() == count + 1)
      #expect(try looks() == count)
    }
  }

  @Test func `a small database is recorded, and its log is as of any writes`() throws {
    try withFleet { fleet in
      let connection = try Connection(path: fleet.devices.path("a"), mode: .create)
      try connection.execute(HorizonFleet.schema + "; INSERT INTO t VALUES (1, 'one')")
      connection.close()
      try fleet.attach("a")
      try fleet["a"].exchange()
      #expect(try fleet.segments("a") == ["1-1"])
      #expect(try fleet.baselines("a") == [])
    }
  }

  @Test(arguments: [false, true])
  func `a baseline that is lost before anybody has it is written again`(writes: Bool) throws {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      try fleet.attach("a")
      let directory = try fleet.directory
      try FileManager.default.removeItem(atPath: directory.baseline(of: fleet.peer("a")))
      if writes {
        try fleet.write("UPDATE t SET v = 'new' WHERE id = 1", on: "a")
        try fleet.write("DELETE FROM t WHERE id = 2", on: "a")
      }
      try fleet.open("a")
      for _ in 0..<2 { try fleet["a"].exchange() }
      try fleet.attach("b")
      try fleet.meet()
      try fleet.expectEqual()
      #expect(
        try fleet["b"].rows("SELECT count(*) FROM t") == ["\(Self.count - (writes ? 1 : 0))"])
      for name in ["a", "b"] { #expect(try differences(fleet, name) == []) }
    }
  }

  @Test(arguments: [ENOSPC, EROFS])
  func `where its baseline cannot be written, attaching and each synchronisation say so`(
    code: Int32
  ) throws {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      let files = BrokenFileSystem(inPathsWith: "/baseline")
      files.fail([.writing], code: code)
      var environment = fleet.environment
      environment.fileSystem = files
      let path = fleet.devices.path("a")
      let request = AttachRequest(
        store: path, container: fleet.devices.container, contentName: "C")
      let attached = try Engine.attach(request, environment: environment)
      let warning = try #require(attached.notes.first { $0.kind == .warning })
      #expect(warning.text.contains("/baseline: \(String(cString: strerror(code)))"))
      let session = try SyncSession(store: path, environment: environment)
      for _ in 0..<3 {
        let report = try session.synchronize()
        let error = try #require(report.failure as? ContainerError)
        #expect((error.underlying as? FileError)?.code == code)
        #expect(report.hindrance == nil)
      }
      let status = try session.status()
      #expect(status.unpublished == 1)
      #expect(status.trouble != nil)
      #expect(status.findings.contains { $0.contains("1 transaction is unpublished") })

      files.mend()
      let report = try session.synchronize()
      #expect(report.failure == nil)
      #expect(report.baseline?.rows == Self.count + 2)
      try session.exchange()
      #expect(try session.status().unpublished == 0)
      #expect(try session.status().trouble == nil)
      session.store.close()
      try fleet.open("a")
      try fleet.attach("b")
      try fleet.meet()
      try fleet.expectEqual()
    }
  }

  @Test func `one that is gone when another device has begun with nothing is replaced at once`()
    throws
  {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      try fleet.attach("a")
      let directory = try fleet.directory.baseline(of: fleet.peer("a"))
      for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
        try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
      }
      try fleet.attach("b")
      let peer = fleet.peer("a")
      try fleet.write("UPDATE t SET v = 'new' WHERE id = 1", on: "a")
      try fleet["a"].exchange()
      #expect(try fleet.baselines("a").count == 1)
      #expect(try fleet["a"].status().unpublished == 0)
      try fleet.meet()
      try fleet.expectEqual()
      #expect(fleet.peer("a") == peer)
      #expect(try fleet["b"].rows("SELECT count(*) FROM t") == ["\(Self.count)"])
      #expect(try fleet["b"].rows("SELECT v FROM t WHERE id = 1") == ["new"])
    }
  }

  @Test func `one whose baseline cannot be written is not detached`() throws {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      let files = BrokenFileSystem(inPathsWith: "/baseline")
      files.fail([.writing], code: ENOSPC)
      var environment = fleet.environment
      environment.fileSystem = files
      let path = fleet.devices.path("a")
      let request = AttachRequest(
        store: path, container: fleet.devices.container, contentName: "C")
      _ = try Engine.attach(request, environment: environment)
      let error = #expect(throws: SyncError.self) {
        try Engine.detach(store: path, removeLogs: false, environment: environment)
      }
      #expect(error?.code == .unpublished)
      files.mend()
      _ = try Engine.detach(store: path, removeLogs: false, environment: environment)
      try fleet.attach("b")
      #expect(try fleet["b"].rows("SELECT count(*) FROM t") == ["\(Self.count)"])
    }
  }

  /// Otherwise, the database would count as the only one, and what the log has would never be imported.
  @Test func `the log of a detached device that arrives later is imported`() throws {
    try withFleet { fleet in
      let connection = try Connection(path: fleet.devices.path("b"), mode: .create)
      try connection.execute(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
        CREATE TABLE tag (name TEXT PRIMARY KEY, label TEXT) WITHOUT ROWID;
        INSERT INTO tag VALUES ('z', 'of b');
        """)
      connection.close()
      try fleet.attach("b")
      try fleet.meet()
      let log = try fleet.directory.log(of: fleet.peer("b"))
      fleet.drop("b")
      _ = try Engine.detach(
        store: fleet.devices.path("b"), removeLogs: false, environment: fleet.environment)
      let aside = fleet.devices.container + "-aside"
      try FileManager.default.moveItem(atPath: log, toPath: aside)
      try makeDatabase(fleet, "a")
      #expect(try fleet.attach("a").outcome == .adopted(rows: Self.count + 2))
      try FileManager.default.moveItem(atPath: aside, toPath: log)
      try fleet.meet()
      #expect(try fleet["a"].rows("SELECT label FROM tag WHERE name = 'z'") == ["of b"])
    }
  }

  @Test(arguments: [false, true])
  func `one that is lost when others have begun with it and rows have changed is replaced at once`(
    isDamaged: Bool
  ) throws {
    try withFleet { fleet in
      try makeDatabase(fleet, "a")
      for name in ["a", "b"] { try fleet.attach(name) }
      try fleet.write("UPDATE t SET v = 'new' WHERE id = 1", on: "a")
      try fleet["a"].exchange()
      let peers = ["a", "b"].map(fleet.peer)
      let directory = try fleet.directory.baseline(of: peers[0])
      for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
        let path = "\(directory)/\(name)"
        let bytes = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        if isDamaged { try bytes.prefix(1000).write(to: URL(filePath: path)) }
      }
      for name in ["a", "b", "a"] {
        fleet.clock.advance(by: 1)
        _ = try fleet[name].synchronize()
      }
      #expect(try fleet.baselines("a").count == 1)
      #expect(["a", "b"].map(fleet.peer) == peers)
      try fleet.attach("c")
      try fleet.meet()
      try fleet.expectEqual()
      #expect(try fleet["c"].rows("SELECT v FROM t WHERE id = 1") == ["new"])
      #expect(try fleet["c"].rows("SELECT count(*) FROM t") == ["\(Self.count)"])
    }
  }

  @Test func `two devices that adopt copies apart have each row once, and lose no write`() throws {
    try withFleet(isCarried: true) { fleet in
      try makeDatabase(fleet, "a")
      try makeDatabase(
        fleet, "b", "INSERT INTO tag VALUES ('c', 'only here'); DELETE FROM t WHERE id = 7")
      for name in ["a", "b"] { try fleet.attach(name) }
      try fleet.write("UPDATE t SET v = 'of a' WHERE id = 1", on: "a")
      try fleet.write("UPDATE t SET v = 'of b' WHERE id = 2", on: "b")
      try fleet.write("INSERT INTO tag VALUES ('d', 'of b')", on: "b")
      try fleet.write("INSERT INTO tag VALUES ('e', 'of a')", on: "a")
      var random = SeededGenerator(seed: 1)
      try fleet.settle(rounds: 6, &random)
      try fleet.expectEqual()
      for name in ["a", "b"] {
        #expect(
          try fleet[name].rows("SELECT count(*) FROM t") == ["\(Self.count)"])
        #expect(
          try fleet[name].rows("SELECT v FROM t WHERE id < 3 ORDER BY id") == ["of a", "of b"])
        #expect(
          try fleet[name].rows("SELECT name || label FROM tag ORDER BY name")
            == ["afirst", "bsecond", "conly here", "dof b", "eof a"])
        #expect(try fleet[name].conflicts() == [])
        #expect(try differences(fleet, name) == [])
      }
    }
  }
}
