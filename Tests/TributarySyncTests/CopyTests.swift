import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Copies of a store that find out that they are, since the file system says when a file was made.
struct CopyTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, v, n INTEGER)"

  /// A store with three transactions, of which the last two are unpublished, and another device.
  private struct Devices {
    let devices: SyncDevices
    let a: SyncSession
    let b: SyncSession

    init(in directory: String) throws {
      devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])])
      b = try devices.open("b", CopyTests.table, merge: merge)
      a = try devices.open("a", CopyTests.table)
      try a.execute("INSERT INTO t VALUES ('all', 0, 1)")
      try exchange(a, b)
      try a.execute("UPDATE t SET n = n + 10")
      try a.execute("UPDATE t SET n = n + 100")
    }

    func copy(_ name: String, of session: SyncSession? = nil) throws -> SyncSession {
      try StoreBackup(of: session ?? a).restore(to: devices.path(name), isSeen: true)
    }

    /// What is in the container of a peer, by name.
    func segments(of peer: PeerIdentity) throws -> [String] {
      try FileManager.default.contentsOfDirectory(
        atPath: "\(devices.container)/tributary/C/peers/\(peer)/log"
      ).sorted()
    }
  }

  @Test func `a copy takes its own identity before it publishes anything`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      let former = fleet.a.store.peer
      let copy = try fleet.copy("copy")
      try copy.execute("UPDATE t SET n = n + 1000")
      #expect(copy.store.peer == former)
      try fleet.a.execute("UPDATE t SET n = n + 10000")
      let finding = try Engine.diagnose(store: copy.store.path).first { $0.code == .identity }
      #expect(finding?.severity == .note)
      #expect(
        finding?.explanation.hasPrefix(
          "its file was made, or written over, after its transaction 3") == true)

      let report = try copy.synchronize()
      let renewal = try #require(report.renewal)
      #expect(report.failure == nil)
      #expect(renewal.former == former && renewal.peer == copy.store.peer && renewal.peer != former)
      #expect(renewal.last == SequenceNumber(3) && renewal.reissued == 1)
      #expect(renewal.evidence == "its file was made, or written over, after its transaction 3")
      #expect(renewal.peer.description.prefix(16) == former.description.prefix(16))
      try expectEqualAfterExchange(fleet.a, copy, fleet.b)
      #expect(try fleet.b.rows("SELECT n FROM t") == ["11111"])
      // The original is who it was.
      #expect(fleet.a.store.peer == former)
      #expect(try copy.synchronize().isEmpty)
      for session in [fleet.a, copy, fleet.b] {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        #expect(try Engine.diagnose(store: session.store.path).allSatisfy { $0.severity == .note })
      }
    }
  }

  @Test func `what original and copy publish without seeing each other is no fork`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      let copy = try fleet.copy("copy")
      try fleet.a.execute("INSERT INTO t VALUES ('a', 1, 0); UPDATE t SET n = n + 10000")
      try copy.execute("INSERT INTO t VALUES ('copy', 2, 0); UPDATE t SET n = n + 1000")
      _ = try fleet.a.synchronize()
      let bring = try fleet.devices.hideLog(
        of: fleet.a.store.peer, from: 2, toldBy: fleet.b.store.peer)
      #expect(try copy.synchronize().failure == nil)
      let report = try fleet.b.synchronize()
      #expect(report.failure == nil && report.waiting.isEmpty)
      #expect(try fleet.b.rows("SELECT id, n FROM t ORDER BY id") == ["all|1111", "copy|1000"])
      try bring()
      try expectEqualAfterExchange(fleet.a, copy, fleet.b)
      #expect(
        try fleet.b.rows("SELECT id, n FROM t ORDER BY id") == [
          "a|10000", "all|11111", "copy|1000",
        ])
      #expect(try fleet.b.synchronize().isEmpty)
    }
  }

  @Test func `many copies, and copies of copies, count what they share once`() throws {
    try withSeeds(0..<6) { random in
      try withTemporaryDirectory { directory in
        let fleet = try Devices(in: directory)
        let first = try fleet.copy("first")
        try first.execute("UPDATE t SET n = n + 1000")
        // Of a copy that has no identity of its own yet.
        let second = try fleet.copy("second", of: first)
        try second.execute("UPDATE t SET n = n + 10000")
        let third = try fleet.copy("third", of: second)
        let fourth = try fleet.copy("fourth", of: third)
        try fourth.execute("UPDATE t SET n = n + 100000")
        let fifth = try fleet.copy("fifth")
        let all = [fourth, second, first, third, fifth, fleet.a]
        for session in all.shuffled(using: &random) { _ = try session.synchronize() }
        for _ in 0..<3 { for session in all + [fleet.b] { try session.exchange() } }
        #expect(try fleet.b.rows("SELECT n FROM t") == ["111111"])
        #expect(Set(all.map(\.store.peer)).count == all.count)
        #expect(try Set((all + [fleet.b]).map { try $0.store.digest().total }).count == 1)
        for session in all + [fleet.b] {
          #expect(try session.status().waiting.isEmpty)
          #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
        }
      }
    }
  }

  @Test func `what a lost original had not published comes from its copy`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      let former = fleet.a.store.peer
      let first = try fleet.copy("first")
      try first.execute("UPDATE t SET n = n + 1000")
      let second = try fleet.copy("second", of: first)
      try second.execute("UPDATE t SET n = n + 10000")
      // Neither the original nor the first copy is ever seen again.
      let report = try second.synchronize()
      #expect(report.failure == nil && report.renewal?.reissued == 1)
      _ = try fleet.b.synchronize()
      #expect(try fleet.b.rows("SELECT n FROM t") == ["11111"])
      #expect(try fleet.segments(of: former).count == 2)
    }
  }

  @Test(arguments: [false, true])
  func `a copy is found out by whoever writes first, and stays one`(isDamaged: Bool) throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      _ = try fleet.copy("copy")
      let path = fleet.devices.path("copy")
      try LocalStore(path: path, milliseconds: SystemClock().milliseconds).write {
        try $0.execute("UPDATE t SET n = n + 1000")
      }
      if isDamaged {
        try Connection(path: path, mode: .readWrite).execute(
          "UPDATE tributary_copy SET next = x'00'")
      }
      // Where nobody can tell any more.
      let copy = try SyncSession(store: path, environment: .blind)
      try FileManager.default.moveItem(
        atPath: fleet.devices.container, toPath: fleet.devices.container + "-away")
      #expect(try copy.synchronize().failure != nil)
      try FileManager.default.moveItem(
        atPath: fleet.devices.container + "-away", toPath: fleet.devices.container)
      #expect(try copy.synchronize().renewal?.reissued == 1)
      try expectEqualAfterExchange(fleet.a, copy, fleet.b)
      #expect(try fleet.b.rows("SELECT n FROM t") == ["1111"])
    }
  }

  @Test(arguments: [true, false])
  func `conflicts that a copy has not looked for yet it finds before it is another`(
    isSeen: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      let version = try fleet.a.store.read { try $0.version }
      try fleet.a.execute("UPDATE t SET v = 'first'")
      try fleet.a.store.write(basedOn: version) { try $0.execute("UPDATE t SET v = 'second'") }
      let copy = try StoreBackup(of: fleet.a).restore(
        to: fleet.devices.path("copy"), isSeen: isSeen)
      try fleet.a.execute("INSERT INTO t VALUES ('a', 1, 0)")
      try exchange(fleet.a, fleet.b)
      var told: [Conflict] = []
      let report = try copy.synchronize { told += $0.conflicts }
      #expect(report.renewal?.last == SequenceNumber(5))
      #expect(report.imported.conflicts.count == 1 && told.count == 1)
      try expectEqualAfterExchange(fleet.a, copy, fleet.b)
      #expect(try copy.conflicts().count == 1)
      #expect(try Engine.verify(store: copy.store.path).differenceCount == 0)
    }
  }

  @Test func `a store that is renamed, compacted or rebuilt is no copy`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      let path = devices.path("a")
      let peer: PeerIdentity
      do {
        let a = try devices.open("a", Self.table)
        peer = a.store.peer
        try a.execute("INSERT INTO t VALUES ('a', 1, 1)")
        try exchange(a, b)
        try a.store.service { try $0.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
      }
      _ = try Engine.rebuild(store: path)
      let moved = devices.path("moved")
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      let a = try SyncSession(store: moved)
      try a.execute("INSERT INTO t VALUES ('more', 1, 1)")
      #expect(try a.synchronize().renewal == nil)
      #expect(a.store.peer == peer)
      try expectEqualAfterExchange(a, b)
    }
  }

  @Test func `a store that was joined to logs, or made from them, is no copy`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('a', 1, 1)")
      try a.exchange()
      let connection = try Connection(path: devices.path("b"), mode: .create)
      try connection.execute(Self.table + "; INSERT INTO t VALUES ('b', 1, 1)")
      connection.close()
      let b = try devices.open("b")
      let c = try devices.open("c")
      for session in [b, c] { #expect(try session.synchronize().renewal == nil) }
      try expectEqualAfterExchange(a, b, c)
    }
  }

  @Test func `a store from where nobody knew when files were made is taken for the original`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      // As on a file system that does not say.
      let backup = try StoreBackup(of: fleet.a).restore(to: fleet.devices.path("copy"))
      #expect(try backup.synchronize().renewal == nil)
      // From then on it can be told.
      let copy = try fleet.copy("another", of: backup)
      #expect(try copy.synchronize().renewal != nil)
    }
  }

  @Test func `a rebuilt copy is still one`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      do { try fleet.copy("copy").execute("UPDATE t SET n = n + 1000") }
      _ = try Engine.rebuild(store: fleet.devices.path("copy"))
      let copy = try SyncSession(store: fleet.devices.path("copy"))
      #expect(try copy.synchronize().renewal?.reissued == 1)
      try expectEqualAfterExchange(fleet.a, copy, fleet.b)
      #expect(try fleet.b.rows("SELECT n FROM t") == ["1111"])
    }
  }

  @Test func `a copy touches neither the logs of the original nor its file`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      let peer = fleet.a.store.peer
      let own = "\(fleet.devices.container)/tributary/C/peers/\(peer)/peer.json"
      let before = try Data(contentsOf: URL(filePath: own))
      let segments = try fleet.segments(of: peer)
      do { _ = try fleet.copy("copy") }
      let path = fleet.devices.path("copy")
      let report = try fleet.devices.attach("copy", Self.table)
      #expect(report.outcome == .alreadyAttached)
      let error = try #require(throws: SyncError.self) {
        try Engine.detach(store: path, removeLogs: true)
      }
      #expect(error.code == .copied && error.remedy.contains("without `removingLogs`"))
      #expect(try Data(contentsOf: URL(filePath: own)) == before)
      #expect(try fleet.segments(of: peer) == segments)
      try Engine.detach(store: path, removeLogs: false)
      #expect(try !LocalStore.isAttached(at: path))
    }
  }

  @Test func `a copy of a store that was put back into its place keeps to what is elsewhere`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fleet = try Devices(in: directory)
      // Put back without being seen, it writes other transactions than those that are published.
      let backup = try StoreBackup(of: fleet.a)
      try fleet.a.execute("INSERT INTO t VALUES ('lost', 1, 0)")
      try exchange(fleet.a, fleet.b)
      let old = try backup.restore(to: fleet.devices.path("old"))
      try old.execute("INSERT INTO t VALUES ('new', 2, 0)")
      let copy = try fleet.copy("copy", of: old)
      try copy.execute("INSERT INTO t VALUES ('copy', 3, 0)")
      #expect(try copy.synchronize().renewal != nil)
      try exchange(copy, fleet.b, fleet.a)
      #expect(
        try fleet.b.rows("SELECT id FROM t ORDER BY id") == ["all", "copy", "lost", "new"])
      try exchange(old, copy, fleet.b, fleet.a)
      for session in [old, copy, fleet.b, fleet.a] {
        #expect(
          try session.rows("SELECT id, n FROM t ORDER BY id")
            == ["all|111", "copy|0", "lost|0", "new|0"])
        #expect(try session.status().waiting.isEmpty)
      }
    }
  }
}
