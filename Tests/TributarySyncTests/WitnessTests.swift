import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Backups that are written over the file of a store, so that its making tells nothing.
struct WitnessTests {
  private static let table = "CREATE TABLE t (id TEXT PRIMARY KEY, v)"

  /// Which of the two witnesses is left, as a backup leaves them that does not bring them back.
  enum Left: CaseIterable { case both, beside, state }

  /// `a` has published three transactions since the backup, and `b` has none of them yet.
  private struct Fleet {
    let devices: SyncDevices
    let b: SyncSession
    let backup: StoreBackup
    let former: PeerIdentity
    private var session: SyncSession?
    var a: SyncSession {
      guard let session else { preconditionFailure("the store is closed") }
      return session
    }

    init(in directory: String) throws {
      devices = try SyncDevices(in: directory)
      b = try devices.open("b", WitnessTests.table)
      let a = try devices.open("a", WitnessTests.table)
      session = a
      try exchange(a, b)
      backup = try StoreBackup(of: a)
      former = a.store.peer
      for number in 1...3 {
        try a.execute("INSERT INTO t VALUES ('old \(number)', \(number))")
        _ = try a.synchronize()
      }
    }

    var beside: String { devices.path("a") + StoreWitness.suffix }

    func inState() throws -> [String] {
      let directory = try #require(StateDirectory.user)
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.contains(former.lineage.lowerHex) }.map { "\(directory)/\($0)" }
    }

    mutating func restore(leaving left: Left = .both) throws {
      if left == .state { try FileManager.default.removeItem(atPath: beside) }
      if left == .beside {
        for path in try inState() { try FileManager.default.removeItem(atPath: path) }
      }
      session = try backup.restore(isWitnessed: true)
    }

    mutating func close() { session = nil }
  }

  @Test(arguments: Left.allCases)
  func `a backup that was written over the file is found out before the first write`(
    left: Left
  ) throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      let bring = try fleet.devices.hideLog(of: fleet.former, from: 1)
      try fleet.restore(leaving: left)
      try fleet.a.execute("INSERT INTO t VALUES ('new', 9)")
      let report = try fleet.a.synchronize()
      // Nothing of what was published has arrived by then.
      let renewal = try #require(report.renewal)
      #expect(renewal.former == fleet.former && renewal.last == .zero && renewal.reissued == 1)
      #expect(report.failure == nil && fleet.a.store.peer != fleet.former)
      try bring()
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(
        try fleet.b.rows("SELECT id FROM t ORDER BY id") == ["new", "old 1", "old 2", "old 3"])
      #expect(try fleet.a.synchronize().isEmpty)
      #expect(try Engine.verify(store: fleet.a.store.path).differenceCount == 0)
    }
  }

  @Test func `what a process wrote that did not look is of the restored store alone`() throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      let bring = try fleet.devices.hideLog(of: fleet.former, from: 1)
      try fleet.restore()
      let blind = try LocalStore(
        path: fleet.a.store.path, milliseconds: { SystemClock().milliseconds() + 3 },
        recognition: .none)
      try blind.write { try $0.execute("INSERT INTO t VALUES ('new', 9)") }
      let renewal = try fleet.a.synchronize().renewal
      #expect(renewal?.last == .zero && renewal?.reissued == 1)
      try bring()
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(try fleet.b.rows("SELECT count(*) FROM t") == ["4"])
    }
  }

  @Test func `a store looks at its witness by default, whoever opens it`() throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      try fleet.restore()
      let store = try LocalStore(
        path: fleet.a.store.path, milliseconds: { SystemClock().milliseconds() })
      try store.write { try $0.execute("INSERT INTO t VALUES ('new', 9)") }
      let last = try store.service {
        try $0.integer("SELECT last FROM tributary_copy")
      }
      #expect(last == 0)
    }
  }

  @Test func `a store restored twice has another identity each time`() throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      var peers: Set<PeerIdentity> = [fleet.former]
      for round in 0..<3 {
        try fleet.restore()
        try fleet.a.execute("INSERT INTO t VALUES ('new \(round)', 9)")
        try exchange(fleet.a, fleet.b)
        peers.insert(fleet.a.store.peer)
      }
      #expect(peers.count == 4)
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(try fleet.b.rows("SELECT count(*) FROM t") == ["6"])
    }
  }

  @Test func `a store that was restored is one copy, however often it is opened and killed`() throws
  {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      try fleet.restore()
      try fleet.a.execute("INSERT INTO t VALUES ('new', 9)")
      for number in 0..<3 {
        let again = try SyncSession(store: fleet.a.store.path)
        try again.execute("INSERT INTO t VALUES ('again \(number)', 9)")
      }
      let report = try SyncSession(store: fleet.a.store.path).synchronize()
      #expect(report.renewal?.reissued == 4)
      try expectEqualAfterExchange(fleet.a, fleet.b)
      #expect(
        try FileManager.default.contentsOfDirectory(
          atPath: "\(fleet.devices.container)/tributary/C/peers"
        ).count == 3)
    }
  }

  /// What leaves a store the one that it was.
  enum Harmless: CaseIterable {
    case opened, garbage, cutShort, foreign, older, missing, directoryInItsPlace, throughLink,
      moved,
      rebuilt, copied, unwritable
  }

  @Test(arguments: Harmless.allCases)
  func `what is no restored backup stays who it is`(harmless: Harmless) throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      let files = FileManager.default
      var path = fleet.devices.path("a")
      let witnesses = try [fleet.beside] + fleet.inState()
      #expect(witnesses.count == 2)
      let statement = try Data(contentsOf: URL(filePath: fleet.beside))
      func overwrite(_ data: Data) throws {
        for witness in witnesses { try data.write(to: URL(filePath: witness)) }
      }
      switch harmless {
      case .opened: break
      case .garbage: try overwrite(Data("tributary witness 1\nnonsense\n".utf8))
      case .cutShort: try overwrite(statement.dropLast(3))
      case .foreign:
        let other = PeerIdentity(high: 1, low: 1)
        try overwrite(
          Data(
            WitnessStatement(
              peer: other, sequence: SequenceNumber(99), time: .zero, former: [fleet.former]
            ).bytes))
      case .older:
        // Killed between the two.
        try fleet.a.execute("INSERT INTO t VALUES ('later', 1)")
        _ = try fleet.a.synchronize()
        try statement.write(to: URL(filePath: witnesses[1]))
      case .missing: for witness in witnesses { try files.removeItem(atPath: witness) }
      case .directoryInItsPlace:
        for witness in witnesses {
          try files.removeItem(atPath: witness)
          try files.createDirectory(atPath: witness, withIntermediateDirectories: false)
        }
      case .throughLink:
        try files.createSymbolicLink(
          atPath: "\(directory)/link.db", withDestinationPath: path)
        path = "\(directory)/link.db"
      case .moved, .copied:
        let backup = try StoreBackup(of: fleet.a)
        path = "\(directory)/elsewhere.db"
        try statement.write(to: URL(filePath: path + StoreWitness.suffix))
        if harmless == .copied {
          // The original goes on.
          try fleet.a.execute("INSERT INTO t VALUES ('later', 1)")
          _ = try fleet.a.synchronize()
        }
        _ = try backup.restore(to: path)
      case .rebuilt: break
      case .unwritable:
        for witness in witnesses {
          try files.removeItem(atPath: witness)
          try files.createDirectory(
            atPath: witness + "-new/x", withIntermediateDirectories: true)
        }
      }
      if harmless == .rebuilt {
        // Nobody may have it open.
        fleet.close()
        _ = try Engine.rebuild(store: path)
      }
      let session = try SyncSession(store: path)
      #expect(
        try Engine.diagnose(store: path).allSatisfy { $0.code != .identity }
          || harmless == .copied)
      try session.execute("INSERT INTO t VALUES ('more', 1)")
      if harmless != .copied {
        let report = try session.synchronize()
        #expect(report.renewal == nil && report.failure == nil)
        #expect(session.store.peer == fleet.former)
      }
    }
  }

  @Test func `a witness names nothing that a power cut could still take back`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Fleet(in: directory)
      var environment = StoreEnvironment()
      environment.fileSystem = BrokenLog()
      let before = try Data(contentsOf: URL(filePath: fleet.beside))
      try fleet.a.execute("INSERT INTO t VALUES ('in the air', 1)")
      let session = try SyncSession(store: fleet.a.store.path, environment: environment)
      #expect(try session.synchronize().failure != nil)
      for path in try [fleet.beside] + fleet.inState() {
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
      }
      _ = try fleet.a.synchronize()
      let after = try Array(Data(contentsOf: URL(filePath: fleet.beside)))
      #expect(WitnessStatement(after)?.sequence == SequenceNumber(4))
    }
  }

  /// The write-ahead log cannot be made durable.
  private struct BrokenLog: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func synchronize(_ path: String) throws(FileError) {
      if path.hasSuffix("-wal") { throw FileError(operation: "fsync", path: path, code: EIO) }
      try base.synchronize(path)
    }
  }

  @Test func `what a store leaves outside of its file goes with detach`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      var a: SyncSession? = try devices.open("a", Self.table)
      try a?.execute("INSERT INTO t VALUES ('x', 1)")
      _ = try a?.synchronize()
      let lineage = try #require(a).store.peer.lineage.lowerHex
      a = nil
      let state = try #require(StateDirectory.user)
      func left() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.contains(lineage) }
          + FileManager.default.contentsOfDirectory(atPath: directory).filter {
            $0.contains("witness")
          }
      }
      #expect(try left().count == 2)
      try Engine.detach(store: devices.path("a"), removeLogs: false)
      #expect(try left() == [])
    }
  }

  @Test func `an identity that a restored store has left is nobody who is behind`() throws {
    try withTemporaryDirectory { directory in
      var fleet = try Fleet(in: directory)
      try fleet.restore()
      try fleet.b.execute("INSERT INTO t VALUES ('b', 1)")
      for _ in 0..<2 { try exchange(fleet.a, fleet.b) }
      for session in [fleet.a, fleet.b] {
        #expect(try Engine.diagnose(store: session.store.path).map(\.explanation) == [])
        let status = try session.status()
        #expect(status.successors == [fleet.former: fleet.a.store.peer])
        #expect(status.findings == [])
      }
    }
  }

  @Test func `a copy says nothing of its original, which is behind where it is`() throws {
    try withTemporaryDirectory { directory in
      let fleet = try Fleet(in: directory)
      try exchange(fleet.a, fleet.b)
      let copy = try StoreBackup(of: fleet.a).restore(
        to: fleet.devices.path("copy"), isSeen: true)
      try copy.execute("INSERT INTO t VALUES ('copy', 1)")
      try exchange(copy, fleet.b)
      #expect(copy.store.peer != fleet.former)
      // A receipt that is young may be on its way.
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds() + 3_600_000)
      let behind = try Engine.diagnose(
        store: fleet.b.store.path, environment: StoreEnvironment(clock: clock)
      ).filter { $0.code == .behind }
      #expect(behind.map(\.peer) == [fleet.former])
      #expect(try fleet.b.status().successors == [:])
    }
  }
}
