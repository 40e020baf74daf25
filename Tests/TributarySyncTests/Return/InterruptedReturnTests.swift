import Foundation
import Glibc
import Synchronization
import Testing
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// A device whose return is interrupted is as it was, or has come back.
struct InterruptedReturnTests {
  private static let table = "CREATE TABLE t (code TEXT PRIMARY KEY, v TEXT)"
  private static let rows = "SELECT code, v FROM t ORDER BY code"

  /// From some operation on, none succeeds any more, as for a process that is killed.
  private final class EndingFileSystem: SteppingFileSystem {
    let base: any FileSystem = LocalFileSystem()
    private let left: Mutex<Int>

    init(after count: Int) { left = Mutex(count) }

    var hasEnded: Bool { left.withLock { $0 < 0 } }

    func step(_ operation: FileOperation, _ path: String) throws(FileError) {
      let isAlive = left.withLock {
        $0 -= 1
        return $0 >= 0
      }
      guard isAlive else { throw FileError(operation: operation.rawValue, path: path, code: EIO) }
    }
  }

  private func withFleet(_ body: (ReturnFleet) throws -> Void) throws {
    try withTemporaryDirectory { path in
      let fleet = try ReturnFleet(
        in: path, Self.table, setup: "INSERT INTO t VALUES ('a', '1'), ('b', '1')")
      try fleet.absent.execute("INSERT INTO t VALUES ('c', 'mine')")
      try fleet.absent.execute("UPDATE t SET v = 'mine' WHERE code = 'a'")
      try fleet.a.execute("UPDATE t SET v = 'theirs'")
      try fleet.declare()
      try fleet.removeLogs()
      try body(fleet)
    }
  }

  @Test func `whichever operation on files is the last, the next attempt finds all of it`() throws {
    var count = 0
    var hasEnded = true
    while hasEnded {
      try withFleet { fleet in
        fleet.absent.store.close()
        let files = EndingFileSystem(after: count)
        var environment = StoreEnvironment(fileSystem: files, containerLimit: nil)
        environment.stateDirectory = nil
        do {
          let absent = try SyncSession(
            store: fleet.devices.path("absent"), environment: environment)
          defer { absent.store.close() }
          _ = try absent.comeBack()
        } catch {
          // That it ends is what is tried here.
        }
        hasEnded = files.hasEnded
        let again = try SyncSession(store: fleet.devices.path("absent"))
        let present = try again.rows(Self.rows)
        #expect(
          [["a|mine", "b|1", "c|mine"], ["a|theirs", "b|theirs", "c|mine"]].contains(present),
          "after \(count)")
        try again.execute("INSERT INTO t VALUES ('d', 'written since')")
        _ = try again.comeBack()
        for session in [again, fleet.a, fleet.b, again, fleet.a, fleet.b] {
          let report = try session.synchronize()
          #expect(report.waiting == [], "after \(count)")
        }
        try expectEqualAfterExchange(again, fleet.a, fleet.b)
        for session in [again, fleet.a, fleet.b] {
          let shown = try session.rows(Self.rows)
          #expect(
            shown == ["a|theirs", "b|theirs", "c|mine", "d|written since"], "after \(count)")
          let lost = try session.conflicts().flatMap(\.values).map(\.column)
          #expect(lost == ["v"], "after \(count)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: fleet.devices.directory)
        #expect(!left.contains { $0.contains("staging") || $0.contains("-return") })
      }
      // There are more than fifty.
      count += Soak.isRunning ? 1 : 4
    }
    #expect(count > 50)
  }

  @Test func `without a whole baseline the device stays as it is, and says so`() throws {
    try withFleet { fleet in
      let path = try fleet.directory.baseline(of: fleet.a.store.peer)
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
      let whole = try Data(contentsOf: URL(filePath: path + "/" + name))
      var damaged = whole
      damaged[damaged.count - 9] ^= 1
      // A header that names another peer, which must not be taken for that of the whole file later.
      var renamed = whole
      let peer = try #require(whole.firstRange(of: Data(fleet.b.store.peer.bytes)))
      renamed[peer.upperBound - 1] ^= 1
      for bytes in [renamed, damaged, whole.dropLast(100)] {
        try bytes.write(to: URL(filePath: path + "/" + name))
        let error = #expect(throws: SyncError.self) { try fleet.absent.comeBack() }
        #expect(error?.code == .logsMissing)
        #expect(error?.message.contains(name) == true)
        let rows = try fleet.absent.rows(Self.rows)
        #expect(rows == ["a|mine", "b|1", "c|mine"])
      }
      try fleet.absent.execute("INSERT INTO t VALUES ('d', 'written since')")
      try whole.write(to: URL(filePath: path + "/" + name))
      try fleet.comeBack()
      let known = try fleet.absent.store.service { try KnowledgeTable($0).current() }
      let peers = [fleet.a, fleet.b, fleet.absent].map(\.store.peer)
      #expect(Set(known.entries.map(\.peer)).isSubset(of: peers), "\(known)")
      try fleet.expect(
        Self.rows, ["a|theirs", "b|theirs", "c|mine", "d|written since"])
    }
  }

  @Test func `without the container the device stays as it is`() throws {
    try withFleet { fleet in
      let container = fleet.devices.container
      try FileManager.default.moveItem(atPath: container, toPath: container + "-away")
      #expect(throws: (any Error).self) { try fleet.absent.comeBack() }
      let rows = try fleet.absent.rows(Self.rows)
      #expect(rows == ["a|mine", "b|1", "c|mine"])
      try fleet.absent.execute("INSERT INTO t VALUES ('d', 'written since')")
      try FileManager.default.moveItem(atPath: container + "-away", toPath: container)
      try fleet.comeBack()
      try fleet.expect(
        Self.rows, ["a|theirs", "b|theirs", "c|mine", "d|written since"])
    }
  }
}
