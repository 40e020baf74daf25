import Foundation
import Testing
import TributaryContainer
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Containers that do not answer, as network mounts whose server is gone.
struct HangingContainerTests {
  /// Too short for a machine under load: then other operations are given up as well, which no test may take amiss.
  private static let limit = Duration.milliseconds(150)

  @Test func `whichever operation hangs, the store works on, and goes on when it returns`() throws {
    var number = 1
    while try isReached(number) { number += 1 }
    #expect(number > 20, "a synchronisation takes \(number - 1) operations")
  }

  /// Has one operation of a synchronisation hang.
  ///
  /// - Returns: false when it has fewer.
  private func isReached(_ number: Int) throws -> Bool {
    while true {
      if let isReached = try attempt(number) { return isReached }
    }
  }

  /// - Returns: `nil` when another operation was given up before.
  private func attempt(_ number: Int) throws -> Bool? {
    var isReached: Bool?
    try withHangingDevices { a, b, files in
      let hasty = try SyncSession(
        store: a.store.path,
        environment: StoreEnvironment(fileSystem: files, containerLimit: Self.limit))
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try b.execute("INSERT INTO t (x) VALUES ('b')")
      try b.exchange()
      files.hang(after: number)
      let report = try hasty.synchronize()
      if files.wasReached || report.failure == nil { isReached = files.wasReached }
      if let failure = report.failure {
        let error = try #require(failure as? ContainerError, "operation \(number): \(failure)")
        #expect(error.code == .unresponsive && error.isTransient, "operation \(number)")
        #expect(!error.remedy.isEmpty && report.damaged.isEmpty, "operation \(number)")
      }
      // What hangs goes on to hang: nothing of this waits for it.
      try hasty.execute("INSERT INTO t (x) VALUES ('while it hangs')")
      #expect(try hasty.rows("SELECT count(*) FROM t WHERE x GLOB 'while*'") == ["1"])
      _ = try hasty.conflicts()
      let status = try hasty.status()
      #expect(status.unpublished >= 1)
      if report.failure != nil {
        #expect(status.trouble?.kind == "unresponsive", "operation \(number)")
        #expect(status.findings.contains { $0.contains("has not answered since") })
      }
      #expect(!files.wasReached || files.isHanging)
      files.release()
      try eventually { try hasty.synchronize().failure == nil }
      #expect(try hasty.status().trouble == nil)
      try exchange(a, b)
      #expect(try a.store.digest().total == b.store.digest().total, "operation \(number)")
      #expect(try Engine.verify(store: a.store.path).differenceCount == 0)
    }
    return isReached
  }

  @Test func `a watch says once that the container hangs, stops at once, and resumes by itself`()
    throws
  {
    try withHangingDevices { a, b, files in
      // The limit is over when the test says so.
      let executor = BoundedExecutor(limit: .seconds(86_400))
      let counting = RoundCountingFileSystem(files)
      let watching = try SyncSession(
        store: a.store.path,
        environment: StoreEnvironment(fileSystem: BoundedFileSystem(counting, executor: executor)))
      let reports = Recorded<SyncReport>()
      let stop = StopSignal()
      let watch = try WorkerThread(name: "watch") {
        do {
          try watching.watch(intervalMilliseconds: 20, stop: stop) { reports.append($0) }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        watch.join()
        files.release()
      }
      files.hang()
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try eventually { files.isHanging }
      executor.finish(within: .zero)
      try eventually { reports.all.contains { $0.failure != nil } }
      executor.finish(within: nil)
      for _ in 0..<3 { try counting.awaitRound() }
      #expect(reports.all.filter { $0.failure != nil }.count == 1)
      files.release()
      try eventually { reports.all.contains { $0.published.transactions == 1 } }
      try b.exchange()
      #expect(try b.rows("SELECT x FROM t") == ["a"])
      files.hang()
      try eventually { files.isHanging }
      stop.stop()
      watch.join()
      #expect(files.isHanging)
    }
  }

  @Test func `attaching, verifying and rebuilding end in time, too`() throws {
    try withHangingDevices { a, _, files in
      let environment = StoreEnvironment(fileSystem: files, containerLimit: Self.limit)
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try a.exchange()
      let other = a.store.path + "-other"
      let container = try a.store.identity().container
      for number in [1, 3, 5, 8, 12] {
        for action in 0..<3 {
          files.hang(after: number)
          do {
            switch action {
            case 0:
              _ = try Engine.attach(
                AttachRequest(store: other, container: container, contentName: "C"),
                environment: environment)
            case 1: _ = try Engine.verify(store: a.store.path, environment: environment)
            default: _ = try Engine.rebuild(store: a.store.path, environment: environment)
            }
          } catch let error as ContainerError {
            #expect(error.code == .unresponsive, "action \(action), operation \(number)")
          } catch let error as FileError {
            #expect(error.isUnresponsive, "action \(action), operation \(number)")
          } catch let error as SyncError {
            #expect(error.code == .inUse && action == 2)
          }
          files.release()
          for suffix in ["", "-wal", "-shm"] {
            // It may not have come to be.
            try? FileManager.default.removeItem(atPath: other + suffix)
          }
        }
      }
    }
  }

  @Test func `while an import hangs, other writers do not wait as long as for the container`()
    throws
  {
    try withHangingDevices { a, b, files in
      // What the author did not know has to be read again while the store is locked.
      try a.execute("INSERT INTO t (id, x) VALUES (1, 'start')")
      try exchange(a, b)
      for number in 12..<32 {
        try a.execute("UPDATE t SET x = 'a \(number)'")
        try b.execute("UPDATE t SET x = 'b \(number)'")
        try b.exchange()
        // In one of the operations the store is locked; the limit alone would be no help.
        files.hang(after: number)
        let longer = try SyncSession(
          store: a.store.path,
          environment: StoreEnvironment(fileSystem: files, containerLimit: .seconds(86_400)))
        let ends = Recorded<Bool>()
        let thread = try WorkerThread(name: "sync") {
          // That it fails is another test's.
          ends.append((try? longer.synchronize())?.failure == nil)
        }
        defer {
          files.release()
          thread.join()
        }
        try eventually { files.isHanging || !ends.all.isEmpty }
        let other = try LocalStore(path: a.store.path, milliseconds: { 1 })
        try Contention.outwait {
          try other.write { try $0.execute("INSERT INTO t (x) VALUES ('meanwhile')") }
        }
      }
      try exchange(a, b)
      #expect(try a.store.digest().total == b.store.digest().total)
    }
  }

  /// - Parameter body: is given sessions that wait for the container as long as it takes.
  private func withHangingDevices(
    _ body: (_ a: SyncSession, _ b: SyncSession, HangingFileSystem) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      let b = try devices.open("b")
      let a = try SyncSession(store: devices.path("a"))
      try exchange(a, b)
      try body(a, b, HangingFileSystem(at: nil, inPathsWith: "/shared"))
    }
  }
}
