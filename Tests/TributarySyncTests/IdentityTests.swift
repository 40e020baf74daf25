import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that are not the continuation of what was published under their identity.
struct IdentityTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, v, n INTEGER)"

  @Test(arguments: 0...3)
  func `a store restored from a backup goes on under another identity and keeps both sides' writes`(
    writes: Int
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('before', 1, 0)")
      try exchange(a, b)
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('lost', 2, 0)")
      try a.execute("UPDATE t SET v = 3 WHERE id = 'before'")
      try exchange(a, b)
      let former = a.store.peer

      a = try backup.restore()
      for number in 0..<writes { try a.execute("INSERT INTO t VALUES ('new \(number)', 9, 0)") }
      let report = try a.synchronize()
      #expect(report.failure == nil)
      let renewal = try #require(report.renewal)
      #expect(renewal.former == former && renewal.peer == a.store.peer && renewal.peer != former)
      #expect(renewal.reissued == writes)
      #expect(report.published.transactions == writes)
      try expectEqualAfterExchange(a, b)
      #expect(
        try a.rows("SELECT id, v FROM t ORDER BY id")
          == ["before|3", "lost|2"] + (0..<writes).map { "new \($0)|9" })
      #expect(try a.synchronize().isEmpty)
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
    }
  }

  @Test func `two live copies of one store both keep what they write`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let b = try devices.open("b")
      try a.execute("INSERT INTO t VALUES ('common', 0, 0)")
      try exchange(a, b)
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      for round in 0..<3 {
        for (name, session) in [("a", a), ("copy", copy), ("b", b)] {
          try session.execute("INSERT INTO t VALUES ('\(name) \(round)', \(round), 0)")
          try session.execute("UPDATE t SET n = n + 1 WHERE id = 'common'")
          let report = try session.synchronize()
          #expect(report.failure == nil && report.waiting.isEmpty)
        }
      }
      try exchange(a, copy, b)
      try expectEqualAfterExchange(a, b, copy)
      #expect(a.store.peer != copy.store.peer)
      #expect(try a.rows("SELECT count(*) FROM t") == ["10"])
    }
  }

  @Test func `a store copied before it had published goes on after what both have in common`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('common', 0, 0)")
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      try a.execute("INSERT INTO t VALUES ('a', 1, 0)")
      try copy.execute("INSERT INTO t VALUES ('copy', 2, 0)")
      _ = try a.synchronize()
      #expect(try copy.synchronize().renewal?.reissued == 1)
      try expectEqualAfterExchange(a, copy)
      #expect(try a.rows("SELECT id FROM t ORDER BY v") == ["common", "a", "copy"])
    }
  }

  @Test func `what was made under both identities keeps its conflicts and numbers`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let tables = """
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT UNIQUE);
        CREATE TABLE track (id INTEGER PRIMARY KEY, album REFERENCES album, title)
        """
      let b = try devices.open("b", tables)
      var a = try devices.open("a", tables)
      try a.execute("INSERT INTO album VALUES (1, 'one')")
      try exchange(a, b)
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO album (title) VALUES ('gone')")
      try exchange(a, b)
      // Numbers, a unique key and a cell that meet others'.
      a = try backup.restore()
      try b.execute(
        "INSERT INTO album (title) VALUES ('mine'); UPDATE album SET title = 'b' WHERE id = 1")
      try b.execute("INSERT INTO track (album, title) VALUES (3, 'x')")
      try a.execute(
        "INSERT INTO album (title) VALUES ('mine'); UPDATE album SET title = 'a' WHERE id = 1")
      try a.execute(
        "INSERT INTO track (album, title) SELECT id, 'y' FROM album WHERE title = 'mine'")
      try a.execute("UPDATE track SET title = 'z' WHERE title = 'y'")
      _ = try a.synchronize()
      try exchange(b, a)
      try expectEqualAfterExchange(a, b)
      let conflicts = try a.conflicts()
      #expect(!conflicts.isEmpty)
      #expect(try b.conflicts() == conflicts)
      #expect(try Engine.verify(store: devices.path("a")).differenceCount == 0)
      #expect(try Engine.verify(store: devices.path("b")).differenceCount == 0)
    }
  }

  @Test func `a store whose own log is known further elsewhere waits for it before it publishes`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, b)
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('three', 3, 0)")
      try exchange(a, b)
      // The carrier has not brought back what was published after the backup.
      let hidden = try devices.hideLog(of: a.store.peer, from: 2)
      a = try backup.restore()
      let report = try a.synchronize()
      #expect((report.failure as? SyncError)?.code == .forked)
      #expect(report.published.segments == 0)
      let finding = try Engine.diagnose(store: a.store.path).first { $0.code == .identity }
      #expect(finding?.severity == .damage)
      #expect(
        finding?.remedy.contains("wait until transaction 2 of its own log has arrived") == true)
      #expect(finding?.remedy.contains("tributary sync --reseed") == true)
      try hidden()
      let later = try a.synchronize()
      #expect(later.failure == nil)
      #expect(later.renewal?.reissued == 0)
      try exchange(b, a)
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT id FROM t ORDER BY v") == ["one", "two", "three"])
    }
  }

  @Test
  func `what another device has written with knowledge of it shows that a store was restored`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, b)
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      try exchange(a, b)
      let former = a.store.peer
      try b.execute("INSERT INTO t VALUES ('three', 3, 0)")
      try b.exchange()
      // Of what tells of the second transaction only the segment that was written after it is there.
      let hidden = try devices.hideLog(of: former, from: 2, toldBy: b.store.peer)
      a = try backup.restore()
      let report = try a.synchronize()
      #expect(report.renewal?.former == former)
      #expect(
        report.waiting.map(\.reason)
          == [.transaction(peer: former, sequence: SequenceNumber(2))])
      try a.execute("INSERT INTO t VALUES ('four', 4, 0)")
      _ = try a.synchronize()
      try hidden()
      try exchange(a, b)
      try expectEqualAfterExchange(a, b)
      #expect(try a.rows("SELECT id FROM t ORDER BY v") == ["one", "two", "three", "four"])
    }
  }

  @Test func `what is common is published before its identity is left, whoever had published it`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let d = try devices.open("d", Self.table)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, d)
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      _ = try copy.synchronize()
      _ = try d.synchronize()
      try copy.execute("INSERT INTO t VALUES ('three', 3, 0)")
      _ = try copy.synchronize()
      // What the copy has published first is lost, and the copy is gone.
      let log = "\(devices.container)/tributary/C/peers/\(a.store.peer)/log"
      for name in try FileManager.default.contentsOfDirectory(atPath: log)
      where name.hasPrefix("0000000000000002-") {
        try FileManager.default.removeItem(atPath: "\(log)/\(name)")
      }
      try a.execute("INSERT INTO t VALUES ('four', 4, 0)")
      let report = try a.synchronize()
      #expect(report.renewal?.last == SequenceNumber(2))
      #expect(report.renewal?.reissued == 1)
      let late = try devices.open("late")
      try exchange(a, d, late)
      for session in [a, d, late] {
        #expect(
          try session.rows("SELECT id FROM t ORDER BY v") == ["one", "two", "three", "four"])
      }
    }
  }

  @Test func `a wiped container does not make a restored store forget what it had published`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let d = try devices.open("d", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      try exchange(a, d)
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('lost', 3, 0)")
      try exchange(a, d)
      let content = devices.container + "/tributary"
      try FileManager.default.removeItem(atPath: content)
      _ = try d.synchronize(reseed: true)
      a = try backup.restore()
      try a.execute("INSERT INTO t VALUES ('new', 4, 0)")
      let renewal = try a.synchronize(reseed: true).renewal
      #expect(renewal?.last == SequenceNumber(2))
      #expect(renewal?.reissued == 1)
      let late = try devices.open("late")
      // What only another device has imported comes from its baseline.
      try exchange(d, a, late)
      for session in [d, a, late] {
        #expect(
          try session.rows("SELECT id FROM t ORDER BY v") == ["one", "two", "lost", "new"])
      }
    }
  }

  @Test func `what only another device still has comes back when it attaches again`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var b: SyncSession? = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, #require(b))
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      try exchange(a, #require(b))
      // The device was restored together with the container, and has written since.
      let peer = a.store.peer
      _ = try devices.hideLog(of: peer, from: 2)
      a = try backup.restore()
      try a.execute("INSERT INTO t VALUES ('three', 3, 0)")
      let report = try a.synchronize()
      #expect(report.failure == nil)
      #expect(report.renewal?.reissued == 1)
      #expect(
        try b?.synchronize().waiting.map(\.reason)
          == [.history(peer: peer, sequence: SequenceNumber(2))])
      b = nil
      try Engine.detach(store: devices.path("b"), removeLogs: false)
      let again = try devices.open("b")
      try expectEqualAfterExchange(a, again)
      #expect(try a.rows("SELECT id FROM t ORDER BY v") == ["one", "two", "three"])
    }
  }

  @Test func `a version read before the store took another identity is still one to write on`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, b)
      let backup = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('two', 2, 0)")
      try exchange(a, b)
      a = try backup.restore()
      try a.execute("UPDATE t SET v = 5 WHERE id = 'one'")
      let version = try a.store.read { try $0.version }
      try a.execute("UPDATE t SET v = 6 WHERE id = 'one'")
      #expect(try a.synchronize().renewal != nil)
      try a.store.write(basedOn: version) { try $0.execute("UPDATE t SET v = 7 WHERE id = 'one'") }
      try exchange(a, b)
      try expectEqualAfterExchange(a, b)
      #expect(try b.conflicts().map(\.values).map { $0.map(\.value) } == [[.integer(6)]])
    }
  }

  @Test func `a version is one to write on, too, where a copy has issued some of it again`() throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('one', 1, 0)")
      try exchange(a, b)
      let old = try StoreBackup(of: a).restore(to: devices.path("old"))
      try a.execute("UPDATE t SET n = 1")
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      let shared = try a.store.read { try $0.version }
      try a.execute("UPDATE t SET n = 2")
      let further = try a.store.read { try $0.version }
      try a.execute("UPDATE t SET n = 3")
      try old.execute("UPDATE t SET v = 9")
      _ = try old.synchronize()
      #expect(try copy.synchronize().renewal?.reissued == 1)
      // It takes over what the copy has issued again, and issues the rest.
      #expect(try a.synchronize().renewal?.reissued == 2)
      for version in [shared, further] {
        try a.store.write(basedOn: version) { try $0.execute("UPDATE t SET n = n + 10") }
      }
      for _ in 0..<2 { for session in [a, copy, old, b] { _ = try session.synchronize() } }
      try expectEqualAfterExchange(a, copy, old, b)
      #expect(try b.rows("SELECT v, n FROM t") == ["9|23"])
    }
  }
}
