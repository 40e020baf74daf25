import Foundation
import Synchronization
import Testing
import TributaryCore
import TributaryFiles
import TributaryReplay
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
      copy = try StoreBackup(of: a).restore(
        to: devices.path("copy"), environment: StoreEnvironment(clock: AheadClock(milliseconds: 3)))
      let peer = a.store.peer
      try a.execute("INSERT INTO t VALUES ('a', 1, 0); UPDATE t SET n = n + 1")
      try a.execute("INSERT INTO t VALUES ('a 2', 1, 0)")
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

  @Test(arguments: [false, true])
  func `two copies that take new identities at once, and import each other's, come together`(
    isEmpty: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      var a: SyncSession? = try devices.open("a", Self.table)
      if !isEmpty { try a?.execute("INSERT INTO t VALUES ('common', 0, 0)") }
      try exchange(#require(a), b)
      var copy: SyncSession? = try StoreBackup(of: #require(a)).restore(
        to: devices.path("copy"), environment: StoreEnvironment(clock: AheadClock(milliseconds: 3)))
      let peer = try #require(a).store.peer
      try a?.execute("INSERT INTO t VALUES ('a', 1, 0); UPDATE t SET n = n + 1")
      try copy?.execute("INSERT INTO t VALUES ('copy', 2, 0); UPDATE t SET n = n + 1")
      try b.execute("INSERT INTO t VALUES ('a 2', 3, 0)")
      // Each publishes before it sees what the other has published.
      _ = try a?.synchronize()
      let bring = try devices.hideLog(of: peer, from: isEmpty ? 1 : 2)
      _ = try copy?.synchronize()
      try bring()
      // Each takes another identity before it sees that the other does.
      _ = try a?.synchronize()
      let new = try #require(a).store.peer
      #expect(new != peer)
      let bringNew = try devices.hideLog(of: new, from: 1)
      try bring()
      _ = try copy?.synchronize()
      #expect(copy?.store.peer != peer && copy?.store.peer != new)
      try bringNew()
      try devices.remove(of: peer, from: isEmpty ? 1 : 2)
      for _ in 0..<3 {
        for session in [a, copy, b] { _ = try session?.synchronize() }
      }
      a = nil
      copy = nil
      for name in ["a", "copy"] { _ = try Engine.rebuild(store: devices.path(name)) }
      let sessions = try ["a", "copy"].map { try SyncSession(store: devices.path($0)) } + [b]
      for _ in 0..<3 { for session in sessions { _ = try session.synchronize() } }
      for session in sessions { try session.exchange() }
      let digests = try Set(sessions.map { try $0.store.digest().total })
      #expect(digests.count == 1)
      #expect(
        try b.rows("SELECT id, n FROM t ORDER BY id")
          == (isEmpty ? ["a|1", "a 2|0", "copy|1"] : ["a|1", "a 2|0", "common|1", "copy|1"]))
      for session in sessions {
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
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
      // What came back lies there for ever, and `doctor` says so.
      try expectEqual([fork.a, fork.b, fork.copy, late], isTidy: false)
    }
  }

  @Test func `what another copy has issued again is not issued twice by a third`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var merge = MergeOptions()
      merge.tables["t"] = TableMerge(columns: ["n": .counter])
      let a = try devices.open("a", Self.table, merge: merge)
      try a.execute("INSERT INTO t VALUES ('common', 0, 0)")
      try a.exchange()
      let peer = a.store.peer
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      try a.execute("INSERT INTO t VALUES ('a', 1, 0); UPDATE t SET n = n + 1")
      let third = try StoreBackup(of: a).restore(to: devices.path("third"))
      try a.execute("INSERT INTO t VALUES ('a 2', 1, 0); UPDATE t SET n = n + 10")
      try copy.execute("INSERT INTO t VALUES ('copy', 2, 0); UPDATE t SET n = n + 100")
      try third.execute("INSERT INTO t VALUES ('third', 3, 0); UPDATE t SET n = n + 1000")
      _ = try a.synchronize()
      let bring = try devices.hideLog(of: peer, from: 2)
      _ = try copy.synchronize()
      try bring()
      #expect(try a.synchronize().renewal?.reissued == 2)
      // It has the first of these two as well.
      #expect(try third.synchronize().renewal?.reissued == 1)
      for _ in 0..<2 { for session in [a, copy, third] { _ = try session.synchronize() } }
      try exchange(a, copy, third)
      for session in [a, copy, third] {
        #expect(
          try session.rows("SELECT id, n FROM t ORDER BY id")
            == ["a|1011", "a 2|10", "common|1111", "copy|100", "third|1000"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(arguments: [false, true])
  func `copies that find out at once that a third has published count what they share once`(
    writesMore: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let merge = MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])])
      let b = try devices.open("b", Self.table, merge: merge)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('common', 0, 0)")
      try TributarySyncTests.exchange(a, b)
      let old = try StoreBackup(of: a).restore(to: devices.path("old"))
      try a.execute("UPDATE t SET n = n + 1")
      try a.execute("UPDATE t SET n = n + 10")
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      if writesMore {
        try a.execute("UPDATE t SET n = n + 100")
        try copy.execute("UPDATE t SET n = n + 1000")
      }
      try old.execute("UPDATE t SET n = n + 10000")
      _ = try old.synchronize()
      // Neither sees what the other has published.
      let peers = "\(devices.container)/tributary/C/peers"
      let manager = FileManager.default
      let before = Set(try manager.contentsOfDirectory(atPath: peers))
      #expect(try a.synchronize().renewal?.reissued == (writesMore ? 3 : 2))
      let new = try manager.contentsOfDirectory(atPath: peers).filter { !before.contains($0) }
      for name in new {
        try manager.moveItem(atPath: "\(peers)/\(name)", toPath: "\(directory)/\(name)")
      }
      #expect(try copy.synchronize().renewal?.reissued == (writesMore ? 3 : 2))
      for name in new {
        for path in try manager.subpathsOfDirectory(atPath: "\(directory)/\(name)") {
          let target = "\(peers)/\(name)/\(path)"
          try manager.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
          if !manager.fileExists(atPath: target) {
            try manager.copyItem(atPath: "\(directory)/\(name)/\(path)", toPath: target)
          }
        }
      }
      let all = [a, copy, old, b]
      for _ in 0..<4 { for session in all { _ = try session.synchronize() } }
      for session in all {
        try session.exchange()
        #expect(try session.rows("SELECT n FROM t") == [writesMore ? "11111" : "10011"])
        #expect(try session.status().waiting.isEmpty)
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
      // They are told apart at the latest when they write.
      try a.execute("UPDATE t SET n = n + 100000")
      try copy.execute("UPDATE t SET n = n + 1000000")
      for _ in 0..<4 { for session in all { _ = try session.synchronize() } }
      for session in all {
        try session.exchange()
        #expect(try session.rows("SELECT n FROM t") == [writesMore ? "1111111" : "1110011"])
      }
      #expect(a.store.peer != copy.store.peer)
    }
  }

  @Test func `others learn what a log continues before they see any of it`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: nil)
      let former = fork.a.store.peer
      let files = FullLogs()
      let a = try SyncSession(
        store: fork.a.store.path, environment: StoreEnvironment(fileSystem: files))
      let report = try a.synchronize()
      let renewal = try #require(report.renewal)
      #expect("\(report.failure, default: "nothing")".contains("No space left on device"))
      #expect(report.published.segments == 0)
      let peers = "\(fork.devices.container)/tributary/C/peers"
      let names = try FileManager.default.contentsOfDirectory(
        atPath: "\(peers)/\(renewal.peer)/log")
      #expect(names == [])
      let text = try String(
        contentsOfFile: "\(peers)/\(renewal.peer)/peer.json", encoding: .utf8)
      #expect(text.contains("\(former)"))
      // What the former log holds is not taken out before it is elsewhere.
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(peers)/\(former)/log").count > 1)
      files.isFull.store(false, ordering: .relaxed)
      _ = try a.synchronize()
      try exchange(fork.b, a, fork.copy)
      try expectEqual([a, fork.b, fork.copy])
    }
  }

  /// Has no room for segments.
  private final class FullLogs: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()
    let isFull = Atomic(true)

    func makeTemporary(in directory: String) throws(FileError) -> any TemporaryFile {
      if isFull.load(ordering: .relaxed), directory.hasSuffix("/log") {
        throw FileError(operation: "open", path: directory, code: ENOSPC)
      }
      return try base.makeTemporary(in: directory)
    }
  }

  @Test func `a device that has strayed tells of what it imports from others`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: "a")
      _ = try fork.a.synchronize()
      _ = try fork.copy.synchronize()
      let other = try fork.devices.open("other")
      try other.execute("INSERT INTO t VALUES ('other', 9, 0)")
      _ = try other.synchronize()
      let report = try fork.b.synchronize()
      #expect(report.failure == nil)
      #expect(report.imported.peers.map(\.peer) == [])
      #expect(
        report.waiting.contains {
          if case .strayed = $0.reason { true } else { false }
        })
      // Once told, it is not told again, and it stays so.
      let again = try fork.b.synchronize()
      #expect(again.waiting == report.waiting)
      #expect(try fork.b.status().waiting == report.waiting)
    }
  }

  @Test func `files that cannot be withdrawn at once are withdrawn later`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: nil)
      let peer = fork.a.store.peer
      let log = "\(fork.devices.container)/tributary/C/peers/\(peer)/log"
      let before = try FileManager.default.contentsOfDirectory(atPath: log).sorted()
      let files = BrokenFileSystem(inPathsWith: "\(peer)/log/")
      let a = try SyncSession(
        store: fork.a.store.path, environment: StoreEnvironment(fileSystem: files))
      files.fail([.writing], code: EROFS)
      #expect(try a.synchronize().renewal?.reissued == 2)
      #expect(try FileManager.default.contentsOfDirectory(atPath: log).sorted() == before)
      let report = try a.synchronize()
      #expect("\(report.failure, default: "nothing")".contains("Read-only file system"))
      files.mend()
      #expect(try a.synchronize().failure == nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: log).count < before.count)
      try exchange(fork.b, a, fork.copy)
      try expectEqual([a, fork.b, fork.copy])
    }
  }

  private func expectEqual(
    _ sessions: [SyncSession], isTidy: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
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
      guard isTidy else { continue }
      let findings = try Engine.diagnose(store: path).filter { $0.severity != .note }
      #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
    }
  }
}
