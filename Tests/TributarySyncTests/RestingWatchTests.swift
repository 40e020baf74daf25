import Testing
import TributaryFiles
import TributarySQLite
import TributarySync
import TributaryTesting

/// A watch of a store that is closed while there is nothing to do.
struct RestingWatchTests {
  /// A watch whose time passes only in the test.
  private final class Watch {
    private let watcher: Watcher
    private let run: WatchRun
    private var time = Time()
    private(set) var reports: [SyncReport] = []
    /// How often it has waited for something to happen.
    private(set) var waits = 0

    private final class Time {
      var now = ContinuousClock.now
    }

    init(_ session: SyncSession) throws {
      watcher = try Watcher()
      let time = Time()
      self.time = time
      run = try WatchRun(
        session, watcher: watcher, intervalMilliseconds: 5000, rests: true, stop: StopSignal()
      ) { time.now }
    }

    /// Lets time pass.
    func pass(_ duration: Duration) throws {
      let end = time.now + duration
      while time.now < end {
        let next = try run.advance(
          watcher.wait(timeoutMilliseconds: 0), didImport: { _ in },
          onReport: { reports.append($0) })
        switch next {
        case .pause(let due): time.now = min(end, due)
        case .wait(let due):
          waits += 1
          time.now = min(end, due)
        }
      }
    }
  }

  private static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"

  private func withWatch(
    _ body: (Watch, SyncSession, SyncDevices) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let other = try devices.open("other", Self.schema)
      var request = AttachRequest(
        store: devices.path("rests"), container: devices.container, contentName: "C")
      request.capture = .triggers
      _ = try Engine.attach(request)
      var environment = StoreEnvironment()
      // Compaction opens the store, too.
      environment.segments.lookInterval = .seconds(86_400)
      let session = try SyncSession(store: devices.path("rests"), environment: environment)
      try body(Watch(session), other, devices)
    }
  }

  @Test func `while nothing happens it looks ever more rarely`() throws {
    try withWatch { watch, _, devices in
      try watch.pass(.seconds(120))
      let before = watch.waits
      try watch.pass(.seconds(3600))
      // The local file systems of a machine tell it of each change; of others, this is not known.
      guard LocalFileSystem.notesChanges(devices.directory) else { return }
      #expect(watch.waits - before <= 61)
      #expect(watch.reports.isEmpty)
    }
  }

  @Test func `a store in which nothing happened is not opened`() throws {
    try withWatch { watch, _, devices in
      try watch.pass(.seconds(120))
      let program = try Connection(path: devices.path("rests"), mode: .readWrite)
      try program.execute("PRAGMA locking_mode = EXCLUSIVE")
      try program.execute("BEGIN EXCLUSIVE")
      try watch.pass(.seconds(600))
      #expect(watch.reports.isEmpty, "the lock was in nobody's way")
      try program.execute("COMMIT")
      program.close()
      try watch.pass(.seconds(600))
      #expect(watch.reports.isEmpty)
    }
  }

  @Test func `what happens is found at once, however long nothing had happened`() throws {
    try withWatch { watch, other, devices in
      try watch.pass(.seconds(3600))
      try other.execute("INSERT INTO t VALUES (1, 'there')")
      _ = try other.synchronize()
      try watch.pass(.seconds(1))
      #expect(watch.reports.map(\.imported.transactions) == [1])
      try watch.pass(.seconds(3600))
      let program = try Connection(path: devices.path("rests"), mode: .readWrite)
      try program.execute("INSERT INTO t VALUES (2, 'here')")
      program.close()
      try watch.pass(.seconds(1))
      #expect(watch.reports.map(\.published.transactions) == [0, 1])
      _ = try other.synchronize()
      #expect(try other.rows("SELECT v FROM t ORDER BY id") == ["there", "here"])
    }
  }
}
