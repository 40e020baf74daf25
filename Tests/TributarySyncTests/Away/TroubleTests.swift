import Foundation
import Glibc
import Testing
import TributaryContainer
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// Containers that are there and cannot be used, in whole or in part.
struct TroubleTests {
  private static let codes = [
    EROFS, ENOSPC, EDQUOT, EACCES, EPERM, EIO, ESTALE, ENOTCONN, ETIMEDOUT, EMFILE,
  ]

  @Test(arguments: codes)
  func `where writing fails, reading goes on, and the store says since when`(code: Int32) throws {
    try withDevices { a, b, files, clock in
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try b.execute("INSERT INTO t (x) VALUES ('b')")
      try b.exchange()
      files.fail([.writing], code: code)
      clock.now = 1_700_000_000_000
      let report = try a.synchronize()
      let error = try #require(report.failure as? ContainerError)
      #expect((error.underlying as? FileError)?.code == code)
      #expect(!error.remedy.isEmpty)
      #expect(report.imported.transactions == 1)
      #expect(try a.rows("SELECT x FROM t ORDER BY x") == ["a", "b"])
      // The first moment counts, however often it is tried again.
      clock.now = 1_800_000_000_000
      #expect(try a.synchronize().failure != nil)
      let status = try a.status()
      #expect(status.trouble?.since == 1_700_000_000_000)
      #expect(status.trouble?.kind == error.code.rawValue)
      #expect(status.trouble?.reason == "\(error)")
      #expect(status.unpublished == 1)
      let finding = try #require(status.findings.first)
      #expect(finding.contains("2023-11-14T22:13:20.000Z"))
      #expect(finding.contains("1 transaction is unpublished"))
      #expect(finding.contains(error.remedy))
      // Whoever opens the store is told the same.
      #expect(try SyncSession(store: a.store.path).status().trouble == status.trouble)

      files.mend()
      #expect(try a.synchronize().published.transactions == 1)
      #expect(try a.status().trouble == nil)
      #expect(try a.status().findings.isEmpty)
      try b.exchange()
      #expect(try b.store.digest().total == a.store.digest().total)
    }
  }

  @Test(arguments: codes)
  func `where nothing works, nothing is imported, nothing is lost, and all resumes`(
    code: Int32
  ) throws {
    try withDevices { a, b, files, _ in
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try b.execute("INSERT INTO t (x) VALUES ('b')")
      try b.exchange()
      files.fail([.reading, .writing], code: code)
      let report = try a.synchronize()
      #expect(report.failure is ContainerError)
      #expect(report.imported.transactions == 0 && report.damaged.isEmpty)
      try a.execute("INSERT INTO t (x) VALUES ('meanwhile')")
      #expect(try a.status().unpublished == 2)
      #expect(try a.status().trouble != nil)
      files.mend()
      try exchange(a, b)
      #expect(try a.rows("SELECT x FROM t ORDER BY x") == ["a", "b", "meanwhile"])
      #expect(try b.store.digest().total == a.store.digest().total)
      #expect(try a.status().trouble == nil)
    }
  }

  @Test func `without empty directories, which some carriers drop, reading goes on as well`() throws
  {
    try withDevices { a, b, files, _ in
      try b.execute("INSERT INTO t (x) VALUES ('b')")
      try b.exchange()
      let identity = try a.store.identity()
      let own = "\(identity.container)/tributary/C/peers/\(identity.peer)"
      try FileManager.default.removeItem(atPath: own + "/log")
      files.fail([.writing], code: EROFS)
      let report = try a.synchronize()
      #expect((report.failure as? ContainerError)?.code == .readOnly)
      #expect(report.imported.transactions == 1)
    }
  }

  @Test func `a slow container does not keep the store locked for long`() throws {
    try withDevices { a, b, files, _ in
      try a.execute("INSERT INTO t VALUES (1, 'start')")
      try exchange(a, b)
      let c = try SyncDevices(in: a.store.path.replacing("/a.db", with: "")).open("c")
      // Much that the author of the last one did not know, and that has to be read again for it.
      for number in 0..<150 {
        try b.execute("UPDATE t SET x = 'b \(number)'")
        try b.exchange()
        try a.exchange()
      }
      try c.execute("UPDATE t SET x = 'c'")
      try c.exchange()
      // Whether somebody else could write, at each operation of the container: a slow one takes long for each.
      let path = a.store.path
      let isFree = Recorded<Bool>()
      files.beforeEach { isFree.append(Self.isFree(path)) }
      let report = try a.synchronize()
      files.beforeEach(nil)
      #expect(report.failure == nil && report.imported.transactions == 1)
      let free = isFree.all.count { $0 }
      let locked = isFree.all.count - free
      print("\(free) operations of the container without the store locked, \(locked) with it")
      #expect(free > 150, "there has to be much to read")
      #expect(locked < 20, "\(locked) operations with the store locked, \(free) without")
    }
  }

  /// Whether a store can be written now.
  private static func isFree(_ path: String) -> Bool {
    // What cannot be tried counts as locked.
    guard let connection = try? Connection(path: path, mode: .readWrite, busyMilliseconds: 0) else {
      return false
    }
    return (try? connection.execute("BEGIN IMMEDIATE; ROLLBACK")) != nil
  }

  @Test func `a container that vanishes and comes back is watched again at once`() throws {
    try withDevices { a, b, _, clock in
      let container = try a.store.identity().container
      let files = RoundCountingFileSystem()
      let watching = try SyncSession(
        store: a.store.path, environment: StoreEnvironment(fileSystem: files, clock: clock))
      let told = Recorded<SyncReport.Imported>()
      let stop = StopSignal()
      let watch = try WorkerThread(name: "watch") {
        do {
          try watching.watch(
            intervalMilliseconds: 100, stop: stop, didImport: { told.append($0) }
          ) { _ in }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        watch.join()
      }
      for round in 1...3 {
        try FileManager.default.moveItem(atPath: container, toPath: container + ".away")
        // An empty mount point, as it is left behind.
        if round == 2 {
          try FileManager.default.createDirectory(
            atPath: container, withIntermediateDirectories: false)
        }
        let kind = round == 2 ? "wiped" : "absent"
        try eventually { try a.status().trouble?.kind == kind }
        try a.execute("INSERT INTO t (x) VALUES ('a \(round)')")
        try files.awaitRound()
        #expect(try a.status().trouble?.kind == kind)
        #expect(try a.status().unpublished == 1)
        if round == 2 {
          #expect(try FileManager.default.contentsOfDirectory(atPath: container).isEmpty)
          try FileManager.default.removeItem(atPath: container)
        }
        try FileManager.default.moveItem(atPath: container + ".away", toPath: container)
        try eventually { try a.status().trouble == nil && a.status().unpublished == 0 }
        try b.exchange()
        try b.execute("INSERT INTO t (x) VALUES ('b \(round)')")
        try b.exchange()
        try eventually { told.all.count == round }
      }
      #expect(try a.store.digest().total == b.store.digest().total)
    }
  }

  private func withDevices(
    _ body: (SyncSession, SyncSession, BrokenFileSystem, AdjustableClock) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      try devices.attach("b")
      var keeping = StoreEnvironment()
      // Many small segments are what takes long.
      keeping.segments.fanIn = .max
      let b = try SyncSession(store: devices.path("b"), environment: keeping)
      let files = BrokenFileSystem(inPathsWith: "/shared")
      let clock = AdjustableClock(milliseconds: 1_600_000_000_000)
      let a = try SyncSession(
        store: devices.path("a"), environment: StoreEnvironment(fileSystem: files, clock: clock))
      try exchange(a, b)
      try body(a, b, files, clock)
    }
  }
}
