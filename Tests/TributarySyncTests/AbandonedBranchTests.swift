import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Branches that their own stores do not issue again.
struct AbandonedBranchTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER)"

  /// A store that has published in two lives, and is gone.
  private struct Fork {
    let devices: SyncDevices
    let peer: PeerIdentity
    var b: SyncSession
    /// The second life, which may come back.
    let second: SyncSession

    init(in directory: String, importing isImported: Bool = false) throws {
      devices = try SyncDevices(in: directory)
      b = try devices.open(
        "b", AbandonedBranchTests.table,
        merge: MergeOptions(tables: ["t": TableMerge(columns: ["n": .counter])]))
      let first = try devices.open("a", AbandonedBranchTests.table)
      peer = first.store.peer
      try first.execute("INSERT INTO t VALUES ('common', 0)")
      try TributarySyncTests.exchange(first, b)
      second = try StoreBackup(of: first).restore(to: devices.path("second"))
      for number in 1...2 {
        try first.execute("INSERT INTO t VALUES ('first \(number)', 0); UPDATE t SET n = n + 1")
        _ = try first.synchronize()
      }
      let bring = try devices.hideLog(of: peer, from: 2, toldBy: b.store.peer)
      for number in 1...2 {
        try second.execute("INSERT INTO t VALUES ('second \(number)', 0); UPDATE t SET n = n + 1")
        _ = try second.synchronize()
        if isImported { _ = try b.synchronize() }
      }
      try bring()
    }

    var root: String { "\(devices.container)/tributary/C/peers" }

    /// Of the identities that no store has ever had.
    func adopted() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: root)
      where !FileManager.default.fileExists(atPath: "\(root)/\(name)/peer.json") {
        for file in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(name)/log") {
          let path = "\(name)/log/\(file)"
          files[path] = try Data(contentsOf: URL(filePath: "\(root)/\(path)"))
        }
      }
      return files
    }
  }

  private static let all = ["common|4", "first 1|2", "first 2|1", "second 1|2", "second 2|1"]

  private func expectAll(
    _ sessions: SyncSession..., more: [String] = [], isTidy: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for _ in 0..<2 { for session in sessions { _ = try session.synchronize() } }
    for session in sessions {
      try session.exchange(sourceLocation: sourceLocation)
      #expect(
        try session.rows("SELECT id, n FROM t ORDER BY id") == (Self.all + more).sorted(),
        sourceLocation: sourceLocation)
      let path = session.store.path
      #expect(
        try Engine.verify(store: path).differenceCount == 0, sourceLocation: sourceLocation)
      guard isTidy else { continue }
      let findings = try Engine.diagnose(store: path).filter { $0.severity != .note }
      #expect(findings.isEmpty, "\(findings)", sourceLocation: sourceLocation)
    }
    let digests = try Set(sessions.map { try $0.store.digest().total })
    #expect(digests.count == 1, sourceLocation: sourceLocation)
  }

  @Test func `who asks for it has all that is left of two stores, and so have others`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      let c = try fork.devices.open("c")
      for session in [fork.b, c] { #expect(try !session.synchronize().waiting.isEmpty) }
      _ = try fork.b.synchronize(reseed: true)
      try expectAll(fork.b, c)
      try expectAll(fork.b, c, fork.devices.open("late"))
    }
  }

  @Test func `it is done without asking when it has been waited for a day`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      let b = try SyncSession(store: fork.b.store.path, environment: StoreEnvironment(clock: clock))
      #expect(try !b.synchronize().waiting.isEmpty)
      clock.advance(by: 86_000_000)
      #expect(try !b.synchronize().waiting.isEmpty)
      clock.advance(by: 1_000_000)
      let report = try b.synchronize()
      #expect(report.waiting == [] && report.failure == nil)
      try expectAll(b)
    }
  }

  @Test func `several who do it at once write the same files`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      let c = try fork.devices.open("c")
      for session in [fork.b, c] { _ = try session.synchronize() }
      let own = URL(filePath: "\(fork.root)/\(fork.b.store.peer)/peer.json")
      let before = try Data(contentsOf: own)
      _ = try fork.b.synchronize(reseed: true)
      let files = try fork.adopted()
      #expect(files.count == 2)
      // The other sees nothing of it.
      for path in files.keys { try FileManager.default.removeItem(atPath: "\(fork.root)/\(path)") }
      try before.write(to: own)
      _ = try c.synchronize(reseed: true)
      #expect(try fork.adopted() == files)
      try expectAll(fork.b, c)
    }
  }

  @Test(arguments: [false, true])
  func `a store that comes back finds that it was done, and nothing counts twice`(
    hasWritten: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      if hasWritten { try fork.second.execute("INSERT INTO t VALUES ('third', 7)") }
      _ = try fork.b.synchronize(reseed: true)
      #expect(try fork.second.synchronize().renewal != nil)
      try expectAll(fork.b, fork.second, more: hasWritten ? ["third|7"] : [])
      try fork.second.execute("INSERT INTO t VALUES ('fourth', 0)")
      try expectAll(
        fork.b, fork.second, more: (hasWritten ? ["third|7"] : []) + ["fourth|0"])
    }
  }

  @Test func `a device that has imported one of the branches keeps it, and has the other`() throws {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: true)
      #expect(try fork.b.rows("SELECT count(*) FROM t") == ["3"])
      #expect(try !fork.b.synchronize().waiting.isEmpty)
      _ = try fork.b.synchronize(reseed: true)
      try expectAll(fork.b)
    }
  }

  @Test func `a rebuild keeps the branch that was imported, and the other is issued again`() throws
  {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory, importing: true)
      let (path, rows) = (fork.b.store.path, "SELECT id, n FROM t ORDER BY id")
      #expect(try !fork.b.synchronize().waiting.isEmpty)
      let before = try fork.b.rows(rows)
      #expect(try Engine.verify(store: path).differenceCount == 0)
      fork.b.store.close()
      _ = try Engine.rebuild(store: path)
      let b = try fork.devices.open("b")
      let after = try b.rows(rows)
      #expect(after == before, "\(after) in place of \(before)")
      _ = try b.synchronize(reseed: true)
      try expectAll(b)
    }
  }

  @Test func `devices that have imported different branches come together after a rebuild`() throws
  {
    try withTemporaryDirectory { directory in
      var fork = try Fork(in: directory, importing: true)
      let log = "\(fork.root)/\(fork.peer)/log"
      let times = try FileManager.default.contentsOfDirectory(atPath: log).map { name in
        (name, try #require(SegmentName(name)))
      }.filter { $0.1.first > SequenceNumber(1) }
      let segments = SegmentStore(
        ContentDirectory(container: fork.devices.container, name: try ContentName("C")),
        peer: fork.peer, using: StoreEnvironment().fileSystem)
      let starts = try times.map { ($0.0, $0.1.first, try segments.header(of: $0.1).firstTime) }
      let second = Set(
        Dictionary(grouping: starts, by: \.1).values.compactMap { $0.max { $0.2 < $1.2 }?.0 })
      for name in second {
        try FileManager.default.moveItem(atPath: "\(log)/\(name)", toPath: "\(directory)/\(name)")
      }
      // Another imports the other branch, and does the same before it hears of this.
      _ = try fork.b.synchronize()
      let c = try fork.devices.open("c")
      _ = try c.synchronize()
      #expect(try c.rows("SELECT id FROM t ORDER BY id") == ["common", "first 1", "first 2"])
      for name in second {
        try FileManager.default.moveItem(atPath: "\(directory)/\(name)", toPath: "\(log)/\(name)")
      }
      let before = try Data(contentsOf: URL(filePath: "\(fork.root)/\(c.store.peer)/peer.json"))
      _ = try c.synchronize(reseed: true)
      let after = try Data(contentsOf: URL(filePath: "\(fork.root)/\(c.store.peer)/peer.json"))
      try before.write(to: URL(filePath: "\(fork.root)/\(c.store.peer)/peer.json"))
      _ = try fork.b.synchronize(reseed: true)
      try after.write(to: URL(filePath: "\(fork.root)/\(c.store.peer)/peer.json"))
      let paths = [fork.b.store.path, c.store.path]
      for session in [fork.b, c] { _ = try session.synchronize() }
      c.store.close()
      fork.b.store.close()
      for path in paths { _ = try Engine.rebuild(store: path) }
      fork.b = try SyncSession(store: paths[0])
      try expectAll(fork.b, SyncSession(store: paths[1]))
    }
  }

  @Test func `what a store that is gone has issued again in its peer json alone comes from others`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      let log = "\(fork.root)/\(fork.peer)/log"
      let saved = directory + "/saved"
      try FileManager.default.copyItem(atPath: log, toPath: saved)
      let new = try #require(try fork.second.synchronize().renewal).peer
      // Neither what it removed nor what it published has arrived.
      try FileManager.default.removeItem(atPath: log)
      try FileManager.default.copyItem(atPath: saved, toPath: log)
      try fork.devices.remove(of: new, from: 1)
      #expect(try !fork.b.synchronize().waiting.isEmpty)
      _ = try fork.b.synchronize(reseed: true)
      // What it had removed lies there again.
      try expectAll(fork.b, isTidy: false)
    }
  }

  @Test func `what a store that is gone has issued again, and nobody has, holds nothing else up`()
    throws
  {
    try withTemporaryDirectory { directory in
      let fork = try Fork(in: directory)
      let new = try #require(try fork.second.synchronize().renewal).peer
      try fork.devices.remove(of: new, from: 1)
      _ = try fork.b.synchronize()
      #expect(
        try fork.b.rows("SELECT id, n FROM t ORDER BY id")
          == ["common|2", "first 1|2", "first 2|1"])
    }
  }

  @Test func `a branch that an older copy has issued again in part is issued again to its end`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let b = try devices.open("b", Self.table)
      let a = try devices.open("a", Self.table)
      try a.execute("INSERT INTO t VALUES ('common', 0)")
      try exchange(a, b)
      let other = try StoreBackup(of: a).restore(to: devices.path("other"))
      try a.execute("INSERT INTO t VALUES ('a 1', 0)")
      _ = try a.synchronize()
      let older = try StoreBackup(of: a).restore(to: devices.path("older"))
      try a.execute("INSERT INTO t VALUES ('a 2', 0)")
      _ = try a.synchronize()
      let peer = a.store.peer
      let bring = try devices.hideLog(of: peer, from: 2, toldBy: b.store.peer)
      try other.execute("INSERT INTO t VALUES ('other 1', 0)")
      try other.execute("INSERT INTO t VALUES ('other 2', 0)")
      _ = try other.synchronize()
      // It sees the other branch, and nothing of what it has not got itself.
      #expect(try older.synchronize().renewal?.reissued == 1)
      try bring()
      for _ in 0..<2 { for session in [older, b] { _ = try session.synchronize() } }
      for _ in 0..<2 { for session in [b, older] { _ = try session.synchronize(reseed: true) } }
      for session in [b, older] {
        try session.exchange()
        #expect(
          try session.rows("SELECT id FROM t ORDER BY id")
            == ["a 1", "a 2", "common", "other 1", "other 2"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }

  @Test(arguments: [false, true])
  func `what two branches have in common is published again when both were issued again`(
    hasBeginning: Bool
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let peer = a.store.peer
      if hasBeginning {
        // A file of its own, which stays.
        try a.execute("INSERT INTO t VALUES ('begun', 0)")
        _ = try a.synchronize()
      }
      let (first, begun) = (UInt64(hasBeginning ? 2 : 1), hasBeginning ? ["begun"] : [])
      try a.execute("INSERT INTO t VALUES ('common', 0)")
      let second = try StoreBackup(of: a).restore(to: devices.path("second"))
      // Each has all in one file.
      try a.execute("INSERT INTO t VALUES ('first', 0)")
      _ = try a.synchronize()
      let bringFirst = try devices.hideLog(of: peer, from: first)
      try second.execute("INSERT INTO t VALUES ('second', 0)")
      _ = try second.synchronize()
      let c = try devices.open("c")
      #expect(try c.rows("SELECT id FROM t ORDER BY id") == begun + ["common", "second"])
      let bringSecond = try devices.hideLog(of: peer, from: first)
      try bringFirst()
      let b = try devices.open("b")
      #expect(try b.rows("SELECT id FROM t ORDER BY id") == begun + ["common", "first"])
      try bringSecond()
      // Neither hears of the other's decision.
      let manifest = URL(
        filePath: "\(devices.container)/tributary/C/peers/\(c.store.peer)/peer.json")
      let before = try Data(contentsOf: manifest)
      _ = try c.synchronize(reseed: true)
      let after = try Data(contentsOf: manifest)
      try before.write(to: manifest)
      _ = try b.synchronize(reseed: true)
      try after.write(to: manifest)
      let paths = [b, c].map(\.store.path)
      for session in [b, c] { _ = try session.synchronize() }
      for session in [b, c] { session.store.close() }
      for path in paths { _ = try Engine.rebuild(store: path) }
      for path in paths + [try devices.open("late").store.path] {
        let session = try SyncSession(store: path)
        #expect(try session.synchronize().waiting == [])
        #expect(
          try session.rows("SELECT id FROM t ORDER BY id")
            == begun + ["common", "first", "second"])
        #expect(try Engine.verify(store: path).differenceCount == 0)
      }
    }
  }

  @Test func `what follows the part that a copy has issued again is waited for, and issued again`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.table)
      let peer = a.store.peer
      let empty = try StoreBackup(of: a)
      try a.execute("INSERT INTO t VALUES ('one', 0)")
      let copy = try StoreBackup(of: a).restore(to: devices.path("copy"))
      try a.execute("INSERT INTO t VALUES ('two', 0)")
      _ = try a.synchronize()
      let bring = try devices.hideLog(of: peer, from: 1)
      a.store.close()
      let other = try empty.restore(to: devices.path("other"))
      try other.execute("INSERT INTO t VALUES ('other', 0)")
      _ = try other.synchronize()
      // It knows of no second transaction.
      #expect(try copy.synchronize().renewal?.reissued == 1)
      try bring()
      let b = try devices.open("b")
      #expect(try !b.synchronize().waiting.isEmpty)
      _ = try b.synchronize(reseed: true)
      for session in [b, copy, other] { _ = try session.synchronize() }
      for session in [b, copy, other] {
        #expect(try session.synchronize().waiting == [])
        #expect(try session.rows("SELECT id FROM t ORDER BY id") == ["one", "other", "two"])
        #expect(try Engine.verify(store: session.store.path).differenceCount == 0)
      }
    }
  }
}
