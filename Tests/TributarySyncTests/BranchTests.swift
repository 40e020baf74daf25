import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// What peers make of two stores that have published under one identity.
struct BranchTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, v, n INTEGER)"

  /// Two copies of one store have each published under its identity before either knew.
  private struct Fork {
    let devices: SyncDevices
    let a: SyncSession
    let copy: SyncSession
    var b: SyncSession

    /// - Parameter importing: the one whose log `b` sees before the other's.
    init(in directory: String, importing first: String?) throws {
      devices = try SyncDevices(in: directory)
      b = try devices.open("b", BranchTests.table)
      a = try devices.open("a", BranchTests.table)
      try a.execute("INSERT INTO t VALUES ('common', 0, 0)")
      try TributarySyncTests.exchange(a, b)
      copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      let peer = a.store.peer
      try a.execute("INSERT INTO t VALUES ('a', 1, 0); UPDATE t SET n = n + 1")
      try a.execute("INSERT INTO t VALUES ('a 2', 1, 0)")
      Thread.sleep(forTimeInterval: 0.003)
      try copy.execute("INSERT INTO t VALUES ('copy', 2, 0); UPDATE t SET n = n + 1")
      // Each publishes without seeing what the other has published.
      _ = try a.synchronize()
      if first == "a" { _ = try b.synchronize() }
      let bring = try devices.hideLog(of: peer, from: 2, toldBy: b.store.peer)
      #expect(try copy.synchronize().renewal == nil)
      if first == "copy" { _ = try b.synchronize() }
      try bring()
    }
  }

  @Test func `nobody imports a transaction of which there are two, and says so`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: nil)
      let peer = fork.a.store.peer
      let report = try fork.b.synchronize()
      #expect(report.imported.transactions == 0)
      #expect(
        report.waiting
          == [Waiting(peer: peer, sequence: SequenceNumber(2), reason: .fork(SequenceNumber(2)))])
      #expect(try fork.b.status().waiting == report.waiting)
      #expect(try fork.b.rows("SELECT id FROM t") == ["common"])
    }
  }

  @Test func `of two forked stores one takes another identity, and all is everywhere`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: nil)
      #expect(try fork.a.synchronize().renewal?.reissued == 2)
      #expect(try fork.copy.synchronize().renewal == nil)
      try exchange(fork.b, fork.a, fork.copy)
      try expectEqual([fork.a, fork.b, fork.copy])
    }
  }

  @Test(arguments: ["a", "copy"])
  func `a device that has imported one branch is rebuilt by one command, and nothing counts twice`(
    imported: String
  ) throws {
    try withTemporaryDirectory { directory in
      var fork = try Fork(in: directory, importing: imported)
      try fork.b.execute("UPDATE t SET v = 'b' WHERE id = 'common'")
      _ = try fork.b.synchronize()
      _ = try fork.a.synchronize()
      _ = try fork.copy.synchronize()
      let report = try fork.b.synchronize()
      let hasStrayed = report.waiting.contains {
        if case .strayed = $0.reason { true } else { false }
      }
      #expect(hasStrayed == (imported == "a"))
      #expect(report.imported.peers.contains { $0.peer == fork.a.store.peer } != hasStrayed)
      let path = fork.b.store.path
      // Nobody else may have it open.
      fork.b = fork.a
      _ = try Engine.rebuild(store: path)
      let b = try SyncSession(store: path)
      for _ in 0..<2 {
        for session in [b, fork.a, fork.copy] { try session.exchange() }
      }
      try expectEqual([fork.a, b, fork.copy])
    }
  }

  @Test func `withdrawn files that a carrier brings back are not imported again`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: nil)
      let peer = fork.a.store.peer
      let log = "\(fork.devices.container)/tributary/C/peers/\(peer)/log"
      let saved = directory + "/saved"
      try FileManager.default.copyItem(atPath: log, toPath: saved)
      _ = try fork.a.synchronize()
      _ = try fork.copy.synchronize()
      try exchange(fork.b, fork.a, fork.copy)
      for name in try FileManager.default.contentsOfDirectory(atPath: saved) {
        let target = "\(log)/\(name)"
        if !FileManager.default.fileExists(atPath: target) {
          try FileManager.default.copyItem(atPath: "\(saved)/\(name)", toPath: target)
        }
      }
      try exchange(fork.b, fork.a, fork.copy)
      let late = try fork.devices.open("late")
      try exchange(late, fork.a)
      try expectEqual([fork.a, fork.b, fork.copy, late])
    }
  }

  private func expectEqual(
    _ sessions: [SyncSession], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for session in sessions {
      #expect(
        try session.rows("SELECT id FROM t ORDER BY id") == ["a", "a 2", "common", "copy"],
        sourceLocation: sourceLocation)
    }
    let digests = try Set(sessions.map { try $0.store.digest().total })
    #expect(digests.count == 1, sourceLocation: sourceLocation)
    for session in sessions {
      let path = session.store.path
      #expect(
        try Engine.verify(store: path).differenceCount == 0, sourceLocation: sourceLocation)
    }
  }
}
