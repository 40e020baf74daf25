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

    init(in directory: String) throws {
      devices = try SyncDevices(in: directory)
      b = try devices.open("b", StrayedWriterTests.table)
      a = try devices.open("a", StrayedWriterTests.table)
      try a.execute("INSERT INTO t VALUES (1, 'common', 0)")
      for session in [a, b] { try session.exchange() }
      copy = try StoreBackup(of: a).restore(
        to: devices.path("copy"), environment: Environment(clock: AheadClock(milliseconds: 3)))
      try a.execute("INSERT INTO t VALUES (2, 'a', 0)")
      try copy.execute("INSERT INTO t VALUES (2, 'copy', 0)")
      _ = try a.synchronize()
      _ = try b.synchronize()
      let bring = try devices.hideLog(of: a.store.peer, from: 2, toldBy: b.store.peer)
      _ = try copy.synchronize()
      try bring()
    }

    /// The first branch gets another name.
    func settle() throws {
      #expect(try a.synchronize().renewal != nil)
      _ = try copy.synchronize()
    }

    /// Rebuilds the one that asks for it, before it has published.
    mutating func rebuild() throws {
      let hasStrayed = try b.status().waiting.contains {
        if case .strayed = $0.reason { true } else { false }
      }
      #expect(hasStrayed)
      let path = b.store.path
      b.store.close()
      _ = try Engine.rebuild(store: path)
      b = try SyncSession(store: path)
    }
  }

  private func expectEqual(_ fork: Fork, _ rows: [String]) throws {
    let late = try fork.devices.open("late", Self.table)
    let all = [fork.a, fork.copy, late, fork.b]
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
      var fork = try Fork(in: directory)
      let former = fork.b.store.peer
      try fork.b.execute("UPDATE t SET n = 2 WHERE id = 2")
      try fork.settle()
      try fork.rebuild()
      #expect(fork.b.store.peer == former)
      try expectEqual(fork, ["a|2", "common|0", "copy|0"])
    }
  }
}
