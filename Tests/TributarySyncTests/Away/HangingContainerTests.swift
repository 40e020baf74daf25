import Foundation
import Testing
import TributaryContainer
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Containers that do not answer, as network mounts whose server is gone.
struct HangingContainerTests {
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
    var isReached = false
    try withHangingDevices { a, b, files in
      try a.execute("INSERT INTO t (x) VALUES ('a')")
      try b.execute("INSERT INTO t (x) VALUES ('b')")
      try b.exchange()
      files.hang(after: number)
      let start = ContinuousClock.now
      let report = try a.synchronize()
      isReached = files.wasReached
      #expect(ContinuousClock.now - start < .seconds(20), "operation \(number)")
      if let failure = report.failure {
        let error = try #require(failure as? ContainerError, "operation \(number): \(failure)")
        #expect(error.code == .unresponsive && error.isTransient, "operation \(number)")
        #expect(!error.remedy.isEmpty && report.damaged.isEmpty, "operation \(number)")
      }
      // Nothing of this waits for the container.
      let whileItHangs = ContinuousClock.now
      try a.execute("INSERT INTO t (x) VALUES ('while it hangs')")
      #expect(try a.rows("SELECT count(*) FROM t WHERE x GLOB 'while*'") == ["1"])
      _ = try a.conflicts()
      let status = try a.status()
      #expect(status.unpublished >= 1)
      if report.failure != nil {
        #expect(status.trouble?.kind == "unresponsive", "operation \(number)")
        #expect(status.findings.contains { $0.contains("has not answered since") })
      }
      #expect(ContinuousClock.now - whileItHangs < .seconds(4), "operation \(number)")
      files.release()
      try eventually { try a.synchronize().failure == nil }
      #expect(try a.status().trouble == nil)
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
      let reports = Recorded<SyncReport>()
      let stop = StopSignal()
      let watch = try WorkerThread(name: "watch") {
        do {
          try a.watch(intervalMilliseconds: 20, stop: stop) { reports.append($0) }
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
      stop.wake()
      try eventually { reports.all.contains { $0.failure != nil } }
      usleep(200_000)
      #expect(reports.all.filter { $0.failure != nil }.count == 1)
      files.release()
      try eventually { reports.all.contains { $0.published.transactions == 1 } }
      try b.exchange()
      #expect(try b.rows("SELECT x FROM t") == ["a"])
      files.hang()
      stop.wake()
      try eventually { files.isHanging }
      let start = ContinuousClock.now
      stop.stop()
      watch.join()
      #expect(ContinuousClock.now - start < .seconds(5))
    }
  }

  @Test func `attaching, verifying and rebuilding end in time, too`() throws {
    try withHangingDevices { a, _, files in
      let environment = Environment(fileSystem: files, containerLimit: Self.limit)
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

  @Test func `while an import hangs, other writers do not wait longer than for each other`() throws
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
          environment: Environment(fileSystem: files, containerLimit: .seconds(8)))
        let thread = try WorkerThread(name: "sync") { _ = try? longer.synchronize() }
        defer { thread.join() }
        let begin = ContinuousClock.now
        while !files.isHanging, ContinuousClock.now - begin < .seconds(3) { usleep(1000) }
        let start = ContinuousClock.now
        try LocalStore(path: a.store.path, milliseconds: { 1 }).write {
          try $0.execute("INSERT INTO t (x) VALUES ('meanwhile')")
        }
        #expect(ContinuousClock.now - start < .seconds(4.5))
        files.release()
      }
      try eventually { try a.synchronize().failure == nil }
      try exchange(a, b)
      #expect(try a.store.digest().total == b.store.digest().total)
    }
  }

  private func withHangingDevices(
    _ body: (SyncSession, SyncSession, HangingFileSystem) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      let b = try devices.open("b")
      let files = HangingFileSystem(at: nil, inPathsWith: "/shared")
      let a = try SyncSession(
        store: devices.path("a"),
        environment: Environment(fileSystem: files, containerLimit: Self.limit))
      try exchange(a, b)
      try body(a, b, files)
    }
  }
}
