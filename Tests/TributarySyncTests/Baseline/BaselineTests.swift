import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// A baseline, and the stores that begin with it.
struct BaselineTests {
  private func segments(_ devices: SyncDevices) throws -> [String] {
    try devices.present().filter { $0.contains("/log/") && $0.hasSuffix(".lz4") }
  }

  private func removeSegments(_ devices: SyncDevices) throws {
    for path in try segments(devices) {
      try FileManager.default.removeItem(atPath: devices.directory + "/" + path)
    }
  }

  /// Rows and bookkeeping that all devices have in common.
  private func state(_ session: SyncSession) throws -> [String] {
    try session.store.service { connection in
      var lines = [try session.store.digest().total]
      for table in ["held", "claim", "conflict"] {
        let statement = try connection.prepare(
          "SELECT * FROM tributary_\(table)" + (table == "conflict" ? " WHERE ended = 0" : "")
            + " ORDER BY 1, 2, 3, 4")
        while try statement.step() { lines.append("\(table) \(statement.values)") }
      }
      return lines
    }
  }

  @Test func `a new device begins with it, and reads only the logs after it`() throws {
    try withBaselineLibrary { devices, a, b in
      let baseline = try a.writeBaseline()
      #expect(
        try baseline.rows == Int(a.rows("SELECT count(*) FROM album")[0])!
          + Int(a.rows("SELECT count(*) FROM track")[0])! + 3 + 3)
      #expect(baseline.peers == 2)
      #expect(baseline.removed == [])
      // What came before cannot be read any more.
      let before = try segments(devices)
      try b.execute("UPDATE track SET plays = 77 WHERE id = 12")
      try b.exchange()
      for path in before {
        try Data().write(to: URL(filePath: devices.directory + "/" + path))
      }
      let report = try devices.attach("c")
      #expect(report.baseline == baseline.path)
      #expect(report.outcome == .rebuilt(transactions: baseline.transactions + 1))
      #expect(report.damaged.isEmpty)
      #expect(report.waiting == [])
      let c = try SyncSession(store: devices.path("c"))
      #expect(try c.rows("SELECT plays FROM track WHERE id = 12") == ["77"])
      // What `a` had agreed to forget before, all forget now.
      for session in [a, b, c] { _ = try session.synchronize() }
      #expect(try state(c) == state(a))
      #expect(try c.conflicts().map(\.id) == a.conflicts().map(\.id))
    }
  }

  @Test func `it makes the store that the logs make, and goes on like it`() throws {
    try withBaselineLibrary { devices, a, b in
      let logs = try devices.attach("c")
      #expect(logs.baseline == nil)
      let baseline = try b.writeBaseline()
      #expect(try devices.attach("d").baseline == baseline.path)
      let c = try SyncSession(store: devices.path("c"))
      let d = try SyncSession(store: devices.path("d"))
      #expect(try state(c) == state(d))
      #expect(try Engine.verify(store: devices.path("d")).differenceCount == 0)
      // All write at once, over what is held, in conflict and given twice.
      for (number, session) in [a, b, c, d].enumerated() {
        try session.execute("UPDATE track SET title = 'by \(number)' WHERE id IN (7, 8, 900)")
        try session.execute("INSERT INTO album VALUES (NULL, 'Another \(number)')")
        try session.execute("UPDATE album SET name = name || '!' WHERE name = 'Same'")
        try session.execute("INSERT INTO track (title) VALUES ('new \(number)')")
        try session.execute("DELETE FROM loose WHERE rowid = (SELECT min(rowid) FROM loose)")
      }
      try expectEqualAfterExchange(a, b, c, d)
      #expect(try state(a) == state(d))
      for name in ["a", "b", "c", "d"] {
        #expect(try Engine.verify(store: devices.path(name)).differenceCount == 0)
      }
    }
  }

  @Test func `the last two that are whole stay`() throws {
    try withBaselineLibrary { devices, a, _ in
      let one = try a.writeBaseline()
      #expect(try a.writeBaseline().path == one.path, "nothing has changed")
      try a.execute("INSERT INTO loose VALUES (1, 1)")
      let two = try a.writeBaseline()
      try a.execute("INSERT INTO loose VALUES (1, 2)")
      let three = try a.writeBaseline()
      #expect(three.removed == [one.path])
      #expect(two.removed == [])
      // A damaged one is not one of the two.
      try Data([1, 2, 3]).write(to: URL(filePath: three.path))
      try a.execute("INSERT INTO loose VALUES (1, 3)")
      let four = try a.writeBaseline()
      #expect(four.removed == [three.path])
      let left = try devices.present().filter { $0.contains("/baseline/") }
        .map { devices.directory + "/" + $0 }
      #expect(Set(left) == [two.path, four.path])
    }
  }

  @Test func `a damaged one is named, and the next one serves, or the logs`() throws {
    try withBaselineLibrary { devices, a, b in
      let older = try b.writeBaseline()
      try a.execute("INSERT INTO loose VALUES ('later', 1)")
      let newer = try a.writeBaseline()
      var bytes = try Data(contentsOf: URL(filePath: newer.path))
      bytes[bytes.count / 2] ^= 0x10
      try bytes.write(to: URL(filePath: newer.path))
      let report = try devices.attach("c")
      #expect(report.damaged.map(\.path) == [newer.path])
      #expect(report.baseline == older.path)
      try Data(contentsOf: URL(filePath: older.path)).dropLast(5)
        .write(to: URL(filePath: older.path))
      let second = try devices.attach("d")
      #expect(Set(second.damaged.map(\.path)) == [newer.path, older.path])
      #expect(second.baseline == nil)
      let (c, d) = (
        try SyncSession(store: devices.path("c")), try SyncSession(store: devices.path("d"))
      )
      try expectEqualAfterExchange(a, b, c, d)
      #expect(try state(c) == state(a))
      #expect(try state(d) == state(a))
      // Those who know what it said write others in its place.
      _ = try a.writeBaseline()
      let third = try devices.attach("e")
      #expect(third.damaged.isEmpty)
      #expect(third.baseline.map { ![older.path, newer.path].contains($0) } == true)
      let e = try SyncSession(store: devices.path("e"))
      try expectEqualAfterExchange(a, b, c, d, e)
      #expect(try state(e) == state(a))
    }
  }

  @Test func `it has what other programs have written, and nothing that is not shared`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.migrations = [
        Migration(name: "1", sql: "CREATE TABLE t (k PRIMARY KEY, v); CREATE TABLE secret (s)")
      ]
      request.tables = .except(["secret"])
      request.capture = .triggers
      _ = try Engine.attach(request)
      let shell = try Connection(path: devices.path("a"), mode: .readWrite)
      try shell.execute("INSERT INTO secret VALUES ('secret words'); INSERT INTO t VALUES (1, 2)")
      // A key with NULL is in no log.
      try shell.execute("INSERT INTO t VALUES (NULL, 'nobody')")
      shell.close()
      let a = try SyncSession(store: devices.path("a"))
      let baseline = try a.writeBaseline()
      #expect(baseline.rows == 1)
      let report = try devices.attach("b")
      #expect(report.baseline == baseline.path)
      let b = try SyncSession(store: devices.path("b"))
      #expect(try b.rows("SELECT * FROM t") == ["1|2"])
      #expect(try b.rows("SELECT * FROM secret") == [])
      let image = try devices.present().filter { $0.contains("tributary-baseline") }
      #expect(image == [])
    }
  }

  @Test func `AUTOINCREMENT gives no spent number again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, v)")
      try a.execute("INSERT INTO t (v) VALUES (1), (2), (3)")
      try a.execute("DELETE FROM t WHERE id = 3")
      _ = try a.writeBaseline()
      #expect(try devices.attach("b").baseline != nil)
      let b = try SyncSession(store: devices.path("b"))
      try b.execute("INSERT INTO t (v) VALUES (4)")
      #expect(try b.rows("SELECT max(id) FROM t") == ["4"])
    }
  }

  @Test func `nobody waits while it is written, and it has a moment's state`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
      try a.store.write { database in
        for id in 1...5000 { try database.execute("INSERT INTO t VALUES (?, 0)", id) }
      }
      let stop = StopSignal()
      let writer = try WorkerThread(name: "writer") {
        var number = 0
        while !stop.isStopped {
          number += 1
          do { try a.store.write { try $0.execute("UPDATE t SET v = ?", number) } } catch {
            Issue.record(error)
          }
          // A baseline begins between two writes: on any machine, however slow, one pause will be long enough.
          stop.sleep(for: .milliseconds(5 * (1 + number / 20)))
        }
      }
      defer { writer.join() }
      defer { stop.stop() }
      for name in ["b", "c", "d"] {
        let baseline = try a.writeBaseline()
        #expect(try devices.attach(name).baseline == baseline.path)
        let b = try SyncSession(store: devices.path(name))
        #expect(try b.rows("SELECT count(DISTINCT v), count(*) FROM t") == ["1|5000"])
      }
    }
  }

  @Test func `where the logs are gone, it still makes the store`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      try removeSegments(devices)
      for (name, schema) in [("c", nil), ("d", BaselineLibrary.schema)] {
        let report = try devices.attach(name, schema)
        #expect(report.baseline == baseline.path)
        let session = try SyncSession(store: devices.path(name))
        #expect(try state(session) == state(a))
      }
    }
  }

  @Test func `doctor names one that is damaged`() throws {
    try withBaselineLibrary { devices, a, _ in
      let baseline = try a.writeBaseline()
      #expect(
        try Engine.diagnose(container: devices.container).filter { $0.severity != .note } == [])
      try Data(contentsOf: URL(filePath: baseline.path)).dropLast(1)
        .write(to: URL(filePath: baseline.path))
      let findings = try Engine.diagnose(container: devices.container)
        .filter { $0.severity != .note }
      #expect(findings.map(\.code) == [.baselineDamaged])
      #expect(findings.map(\.path) == [baseline.path])
    }
  }

  @Test func `what a killed process has left does no harm`() throws {
    try withBaselineLibrary { devices, a, _ in
      let path = devices.path("a") + "-tributary-baseline"
      try Data("left".utf8).write(to: URL(filePath: path))
      try Data("left".utf8).write(to: URL(filePath: path + "-journal"))
      #expect(try a.writeBaseline().rows > 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a synchronisation removes what killed processes have left, and doctor names it`()
    throws
  {
    try withBaselineLibrary { devices, a, _ in
      _ = try a.synchronize()
      let store = devices.path("a")
      let left = [
        "-tributary-horizon", "-tributary-horizon-journal", "-tributary-horizon-tributary-staging",
        "-tributary-baseline", "-tributary-horizon-0123456789abcdef",
      ]
      let others = ["-tributary-horizon-fedcba9876543210", "-tributary-baseline-notes"]
      for suffix in left + others {
        try Data("left".utf8).write(to: URL(filePath: store + suffix))
      }
      let old = Date(timeIntervalSinceNow: -7200)
      try FileManager.default.setAttributes(
        [.modificationDate: old], ofItemAtPath: store + left[4])
      func present() -> [String] {
        (left + others).filter { FileManager.default.fileExists(atPath: store + $0) }
      }
      let findings = try Engine.diagnose(store: store).filter { $0.code == .staging }
      #expect(Set(findings.map(\.path)) == Set(left.map { store + $0 }))
      #expect(present() == left + others)
      // A process that writes a baseline has the lock.
      guard
        let lock = try FileLock.makeAndTake(store + "-tributary-baseline-lock", within: .zero)
      else {
        Issue.record("the lock is taken")
        return
      }
      _ = try SyncSession(store: store).synchronize()
      #expect(present() == left.dropLast() + others)
      lock.removeAndRelease()
      _ = try SyncSession(store: store).synchronize()
      #expect(present() == others)
      #expect(try Engine.diagnose(store: store).filter { $0.code == .staging } == [])
    }
  }

  /// An import may take longer than an hour, and somebody may set the clock.
  @Test func `a file that a process still reads stays, however old it is`() throws {
    try withBaselineLibrary { devices, a, _ in
      _ = try a.synchronize()
      let path = devices.path("a") + "-tributary-horizon-0123456789abcdef"
      let files = [path, path + "-journal"]
      func makeOld() throws {
        for file in files {
          try Data("in use".utf8).write(to: URL(filePath: file))
          try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: file)
        }
      }
      func present() -> [String] {
        files.filter { FileManager.default.fileExists(atPath: $0) }
      }
      guard let use = try FileLock.makeAndTake(path, within: .zero) else {
        Issue.record("the lock is taken")
        return
      }
      try makeOld()
      _ = try SyncSession(store: devices.path("a")).synchronize()
      #expect(present() == files)
      use.removeAndRelease()
      try makeOld()
      _ = try SyncSession(store: devices.path("a")).synchronize()
      #expect(present() == [])
    }
  }

  @Test func `a store that has strayed from the logs writes none`() throws {
    try withBaselineLibrary { devices, a, b in
      try b.execute("INSERT INTO loose VALUES ('of b', 1)")
      try exchange(b, a)
      // Somebody else's log in place of that of b, of the same length.
      try a.store.service {
        try $0.execute("UPDATE tributary_peer SET time = time - 1 WHERE sequence > 1")
      }
      let error = #expect(throws: (any Error).self) { try a.writeBaseline() }
      #expect((error as? SyncError)?.code == .forked)
      #expect(try devices.present().filter { $0.contains("/baseline/") } == [])
    }
  }

  @Test(arguments: [ENOSPC, EROFS, EIO])
  func `where the container cannot be written there is none, and the store is as before`(
    code: Int32
  ) throws {
    let files = BrokenFileSystem(inPathsWith: "/baseline")
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", BaselineLibrary.schema)
      let session = try SyncSession(
        store: devices.path("a"), environment: StoreEnvironment(fileSystem: files))
      try session.execute("INSERT INTO loose VALUES (1, 2)")
      files.fail([.writing], code: code)
      let error = #expect(throws: (any Error).self) { try session.writeBaseline() }
      #expect((error as? ContainerError)?.underlying is FileError)
      #expect(try devices.present().filter { $0.contains("/baseline/") } == [])
      files.mend()
      #expect(try session.writeBaseline().rows == 1)
    }
  }
}
