import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Devices that have written with knowledge of a branch that got another name.
struct StrayedWriterTests {
  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INTEGER)"

  /// Two stores of one identity that have given one number, of which the others have seen the first.
  private struct Fork {
    let devices: SyncDevices
    let a: SyncSession
    let copy: SyncSession
    var b: SyncSession
    /// Has imported what the first two have published before the copy published.
    var reader: SyncSession

    /// - Parameter isPublished: whether what is written with knowledge of a branch is published before the
    ///   other branch is.
    init(in directory: String, isPublished: Bool) throws {
      devices = try SyncDevices(in: directory)
      b = try devices.open("b", StrayedWriterTests.table)
      reader = try devices.open("reader", StrayedWriterTests.table)
      a = try devices.open("a", StrayedWriterTests.table)
      try a.execute("INSERT INTO t VALUES (1, 'common', 0)")
      for session in [a, b] { try session.exchange() }
      copy = try StoreBackup(of: a).restore(
        to: devices.path("copy"), environment: StoreEnvironment(clock: AheadClock(milliseconds: 3)))
      try a.execute("INSERT INTO t VALUES (2, 'a', 0)")
      try copy.execute("INSERT INTO t VALUES (2, 'copy', 0)")
      _ = try a.synchronize()
      _ = try b.synchronize()
      try b.execute("UPDATE t SET n = 2 WHERE id = 2")
      if isPublished { for session in [b, reader] { _ = try session.synchronize() } }
      let bring = try devices.hideLog(
        of: a.store.peer, from: 2, toldBy: b.store.peer, reader.store.peer)
      _ = try copy.synchronize()
      try bring()
    }

    /// The first branch gets another name.
    func settle() throws {
      #expect(try a.synchronize().renewal != nil)
      _ = try copy.synchronize()
    }

  }

  private func hasStrayed(_ session: SyncSession) throws -> Bool {
    try session.status().waiting.contains {
      if case .strayed = $0.reason { true } else { false }
    }
  }

  private func rebuild(_ session: inout SyncSession) throws {
    let path = session.store.path
    session.store.close()
    _ = try Engine.rebuild(store: path)
    session = try SyncSession(store: path)
  }

  private func expectEqual(_ all: [SyncSession], rows: [String]) throws {
    for _ in 0..<2 { for session in all { _ = try session.synchronize() } }
    for session in all {
      try session.exchange()
      #expect(try session.rows("SELECT v, n FROM t ORDER BY v") == rows)
      #expect(try session.conflicts().isEmpty)
      #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
    }
    #expect(try Set(all.map { try $0.store.digest().total }).count == 1)
  }

  @Test
  func
    `what was written with knowledge of a branch, and not published, stays with that branch's rows`()
    throws
  {
    try withTemporaryDirectory { directory in
      var fork = try Fork(in: directory, isPublished: false)
      let former = fork.b.store.peer
      try fork.settle()
      #expect(try hasStrayed(fork.b))
      try rebuild(&fork.b)
      #expect(fork.b.store.peer == former)
      let late = try fork.devices.open("late", Self.table)
      try expectEqual(
        [fork.a, fork.copy, late, fork.b, fork.reader], rows: ["a|2", "common|0", "copy|0"])
    }
  }

  /// The reader has imported the same branch; the others read it when its name meant the copy's.
  @Test
  func
    `what was published with knowledge of a branch means that branch's rows on all devices, after one command where it was imported otherwise`()
    throws
  {
    try withTemporaryDirectory { directory in
      var fork = try Fork(in: directory, isPublished: true)
      let former = fork.b.store.peer
      try fork.settle()
      let other = try fork.devices.open("other", Self.table)
      _ = try other.synchronize()
      #expect(try hasStrayed(fork.b))
      try rebuild(&fork.b)
      _ = try fork.b.synchronize()
      try fork.b.execute("UPDATE t SET n = 3 WHERE v = 'copy'")
      _ = try fork.b.synchronize()
      #expect(fork.b.store.peer == former)
      var all = [fork.a, fork.copy, fork.reader, other]
      for session in all { _ = try session.synchronize() }
      #expect(try all.map(hasStrayed) == [true, true, true, true])
      for index in all.indices { try rebuild(&all[index]) }
      let late = try fork.devices.open("late", Self.table)
      try expectEqual(all + [late, fork.b], rows: ["a|2", "common|0", "copy|3"])
    }
  }
}
