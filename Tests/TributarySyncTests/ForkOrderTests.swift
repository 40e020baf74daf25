import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Forks whose files arrive in any order, where no witness and no file's making tells of a backup.
struct ForkOrderTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER)"

  /// Takes segments of a peer out of the container, by their first transactions.
  private struct Hidden {
    var files: [(path: String, first: UInt64, data: Data)] = []

    init(of peer: PeerIdentity, in devices: SyncDevices) throws {
      let log = "\(devices.container)/tributary/C/peers/\(peer)/log"
      for name in try FileManager.default.contentsOfDirectory(atPath: log).sorted() {
        let path = "\(log)/\(name)"
        let first = try #require(UInt64(name.split(separator: "-")[0], radix: 16))
        files.append((path, first, try Data(contentsOf: URL(filePath: path))))
        try FileManager.default.removeItem(atPath: path)
      }
      try FileManager.default.removeItem(
        atPath: (log as NSString).deletingLastPathComponent + "/peer.json")
    }

    func bring(_ first: UInt64) throws {
      for file in files where file.first == first {
        try file.data.write(to: URL(filePath: file.path))
      }
    }
  }

  @Test(
    arguments: [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]], [0, 1, 3])
  func `a fork is settled whatever of the old log arrives first`(order: [UInt64], seen: Int) throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try exchange(a, b)
      let backup = try StoreBackup(of: a)
      let former = a.store.peer
      for number in 1...3 {
        try a.execute("INSERT INTO t VALUES ('old \(number)', 1)")
        _ = try a.synchronize()
      }
      let hidden = try Hidden(of: former, in: devices)
      a = try backup.restore()
      for number in 1...3 {
        try a.execute("INSERT INTO t VALUES ('new \(number)', 1)")
        #expect(try a.synchronize().renewal == nil)
        // Somebody has imported some of it.
        if number <= seen { _ = try b.synchronize() }
      }
      for first in order {
        try hidden.bring(first)
        for session in [b, a, b] { _ = try session.synchronize() }
      }
      #expect(a.store.peer != former)
      let c = try devices.open("c")
      for _ in 0..<3 { for session in [a, c] { _ = try session.synchronize() } }
      let all = ["new 1", "new 2", "new 3", "old 1", "old 2", "old 3"]
      #expect(try a.rows("SELECT id FROM t ORDER BY id") == all)
      #expect(try c.rows("SELECT id FROM t ORDER BY id") == all)
      for session in [a, c] {
        #expect(try session.status().waiting == [])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(
    arguments: [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]], [0, 1, 3])
  func `so it is where the clock of the restored store is far behind`(
    order: [UInt64], seen: Int
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var b = try devices.open("b", Self.table)
      let first = try devices.open("a", Self.table)
      try exchange(first, b)
      let backup = try StoreBackup(of: first)
      let former = first.store.peer
      let ahead = AdjustableClock(milliseconds: SystemClock().milliseconds() + 86_400_000)
      let old = try SyncSession(
        store: first.store.path, environment: StoreEnvironment(clock: ahead))
      for number in 1...3 {
        try old.execute("INSERT INTO t VALUES ('old \(number)', 1)")
        _ = try old.synchronize()
      }
      let hidden = try Hidden(of: former, in: devices)
      var a = try backup.restore()
      for number in 1...3 {
        try a.execute("INSERT INTO t VALUES ('new \(number)', 1)")
        _ = try a.synchronize()
        if number <= seen { _ = try b.synchronize() }
      }
      for first in order {
        try hidden.bring(first)
        for session in [b, a, b] { _ = try session.synchronize() }
      }
      let c = try devices.open("c")
      // Nobody may have the former identity any more.
      for _ in 0..<3 {
        for session in [a, c, b] { _ = try session.synchronize(reseed: true) }
      }
      let paths = [a, b].map(\.store.path)
      for session in [a, b] { session.store.close() }
      for path in paths { _ = try Engine.rebuild(store: path) }
      a = try SyncSession(store: paths[0])
      b = try SyncSession(store: paths[1])
      for _ in 0..<3 { for session in [a, c, b] { _ = try session.synchronize() } }
      let all = ["new 1", "new 2", "new 3", "old 1", "old 2", "old 3"]
      for session in [a, b, c] {
        #expect(try session.rows("SELECT id FROM t ORDER BY id") == all)
        #expect(try session.status().waiting == [])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test func `a rebuild that would lose what is in no log is refused, and changes nothing`() throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var b: SyncSession? = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try exchange(a, #require(b))
      let backup = try StoreBackup(of: a)
      let former = a.store.peer
      try a.execute("INSERT INTO t VALUES ('old', 1)")
      _ = try a.synchronize()
      let hidden = try Hidden(of: former, in: devices)
      a = try backup.restore()
      try a.execute("INSERT INTO t VALUES ('new', 1)")
      _ = try a.synchronize()
      _ = try b?.synchronize()
      // What `b` has imported is lost, and another log is in its place.
      let lost = try Hidden(of: former, in: devices)
      try hidden.bring(1)
      let path = devices.path("b")
      _ = try b?.synchronize()
      b = nil
      let error = #expect(throws: SyncError.self) { try Engine.rebuild(store: path) }
      #expect(error?.code == .logsMissing)
      b = try SyncSession(store: path)
      #expect(try b?.rows("SELECT id FROM t") == ["new"])
      // When who wrote it has issued it again, it can be rebuilt.
      try lost.bring(1)
      for _ in 0..<2 { _ = try a.synchronize() }
      b = nil
      _ = try Engine.rebuild(store: path)
      b = try SyncSession(store: path)
      for _ in 0..<2 { for session in [try #require(b), a] { try session.exchange() } }
      #expect(try b?.rows("SELECT id FROM t ORDER BY id") == ["new", "old"])
    }
  }

  @Test func `a write based on an earlier version meets what was imported, and not another life's`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let (b, c) = (try devices.open("b", Self.table), try devices.open("c", Self.table))
      let a = try devices.open("a", Self.table)
      for session in [a, b, c, a] { _ = try session.synchronize() }
      let versions = try [b, c].map { try $0.store.read { try $0.version } }
      let second = try StoreBackup(of: a).restore(to: devices.path("second"))
      try a.execute("INSERT INTO t VALUES ('first', 1)")
      for session in [a, b] { _ = try session.synchronize() }
      let bring = try devices.hideLog(of: a.store.peer, from: 1, toldBy: b.store.peer)
      try second.execute("INSERT INTO t VALUES ('second', 1)")
      for session in [second, c] { _ = try session.synchronize() }
      try bring()
      // One of them reads the file that is not the first in the directory.
      for (session, version, id) in [(b, versions[0], "first"), (c, versions[1], "second")] {
        #expect(try session.rows("SELECT id FROM t") == [id])
        try session.store.write(basedOn: version) {
          try $0.execute("UPDATE t SET n = 2 WHERE id = '\(id)'")
        }
        #expect(try session.conflicts().count == 1)
      }
    }
  }

  @Test func `a copy whose log has not arrived is known by what it states`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let peer = a.store.peer
      try a.execute("INSERT INTO t VALUES ('common', 0)")
      let second = try StoreBackup(of: a).restore(to: devices.path("second"))
      try a.execute("INSERT INTO t VALUES ('first', 0)")
      _ = try a.synchronize()
      try second.execute("INSERT INTO t VALUES ('second', 0)")
      let third = try StoreBackup(of: second).restore(to: devices.path("third"))
      #expect(try third.synchronize().renewal?.reissued == 1)
      // The second sees none of the logs.
      let old = try Hidden(of: peer, in: devices)
      let stated = URL(
        filePath: "\(devices.container)/tributary/C/peers/\(third.store.peer)/peer.json")
      let statement = try Data(contentsOf: stated)
      let new = try Hidden(of: third.store.peer, in: devices)
      try statement.write(to: stated)
      try FileManager.default.removeItem(atPath: "\(devices.container)/tributary/C/peers/\(peer)")
      let renewal = try #require(try second.synchronize(reseed: true).renewal)
      #expect(renewal.reissued == 0)
      for hidden in [old, new] {
        for file in hidden.files {
          try FileManager.default.createDirectory(
            atPath: (file.path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
          try file.data.write(to: URL(filePath: file.path))
        }
      }
      for _ in 0..<3 { for session in [a, second, third] { _ = try session.synchronize() } }
      for session in [a, second, third] {
        #expect(
          try session.rows("SELECT id FROM t ORDER BY id") == ["common", "first", "second"])
        #expect(try session.status().waiting == [])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
