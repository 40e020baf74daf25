import Foundation
import Testing
import TributaryStore
import TributarySync
import TributaryTesting

/// Two processes that synchronise one store.
struct SimultaneousTests {
  enum Moment: CaseIterable {
    case beforeListing, afterListing
  }

  @Test(arguments: Moment.allCases)
  func `what another process commits and publishes meanwhile is no fork, and not published again`(
    moment: Moment
  ) throws {
    try withStore { path in
      let act: @Sendable () -> Void = {
        do {
          try Self.write(to: path, "INSERT INTO t VALUES (2)")
          _ = try SyncSession(store: path).synchronize()
        } catch {
          Issue.record(error)
        }
      }
      let files =
        switch moment {
        case .beforeListing: EventfulFileSystem(atListing: "/log", before: act)
        case .afterListing: EventfulFileSystem(atListing: "/log", after: act)
        }
      let report = try SyncSession(store: path, environment: StoreEnvironment(fileSystem: files))
        .synchronize()
      #expect(report.failure == nil)
      #expect(report.published.segments == 0)
      #expect(try Engine.verify(store: path).transactions == 2)
    }
  }

  @Test
  func `a watch of a store that is removed ends and says so`() throws {
    try withStore { path in
      // Something to report.
      try Self.write(to: path, "INSERT INTO t VALUES (2)")
      let session = try SyncSession(store: path)
      #expect(throws: SyncError.self) {
        try session.watch(intervalMilliseconds: 10, stop: StopSignal()) { _ in
          try FileManager.default.removeItem(atPath: path)
        }
      }
    }
  }

  @Test(arguments: 1...3)
  func `a row that another process writes with a new column during an import is not lost`(
    opening: Int
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      let b = try devices.open("b")
      try exchange(author, b)
      var segments: [String] = []
      for id in [7, 8] {
        try author.execute("INSERT INTO t VALUES (\(id), 'theirs')")
        try author.exchange()
        segments.append(
          try #require(devices.present().filter { $0.contains("/log/") }.max()))
      }
      // Headers are looked at first. Later, the second segment is opened when the batch has the first.
      let act: @Sendable () -> Void = {
        do {
          try LocalStore(path: b.store.path, milliseconds: { 1 }).write { db in
            try db.execute("ALTER TABLE t ADD COLUMN y; INSERT INTO t VALUES (7, 'mine', 'new')")
          }
        } catch {
          Issue.record(error)
        }
      }
      let files = EventfulFileSystem(atOpening: segments[1], time: opening, before: act)
      // Nothing is read ahead.
      let environment = StoreEnvironment(fileSystem: files, containerLimit: nil)
      try SyncSession(store: b.store.path, environment: environment).exchange()
      #expect(
        try b.rows("SELECT x, y FROM t ORDER BY x") == ["mine|new", "theirs|null", "theirs|null"])
      #expect(try Engine.verify(store: b.store.path).differenceCount == 0)
      try author.execute("ALTER TABLE t ADD COLUMN y")
      try expectEqualAfterExchange(author, b)
    }
  }

  @Test(arguments: 1...3)
  func `nothing is imported after another process has made a column that a peer has otherwise`(
    opening: Int
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      let b = try devices.open("b")
      try exchange(author, b)
      try author.execute("INSERT INTO t VALUES (7, 'theirs')")
      try author.exchange()
      let segment = try #require(devices.present().filter { $0.contains("/log/") }.max())
      try author.execute("ALTER TABLE t ADD COLUMN y DEFAULT 2")
      try author.exchange()
      let act: @Sendable () -> Void = {
        do {
          try LocalStore(path: b.store.path, milliseconds: { 1 }).write { db in
            try db.execute("ALTER TABLE t ADD COLUMN y DEFAULT 1")
          }
        } catch {
          Issue.record(error)
        }
      }
      let files = EventfulFileSystem(atOpening: segment, time: opening, before: act)
      let environment = StoreEnvironment(fileSystem: files, containerLimit: nil)
      let report = try SyncSession(store: b.store.path, environment: environment).synchronize()
      guard try b.rows("SELECT name FROM pragma_table_info('t')").contains("y") else { return }
      #expect((report.failure as? SyncError)?.code == .mergeDisagreement)
      #expect(try b.rows("SELECT x FROM t") == [])
    }
  }

  /// Lends a store with one published transaction.
  private func withStore(_ body: (String) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      _ = try Engine.attach(
        AttachRequest(store: path, container: directory + "/shared", contentName: "N"))
      try Self.write(to: path, "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      _ = try SyncSession(store: path).synchronize()
      try body(path)
    }
  }

  /// Opens a store for one write.
  private static func write(to path: String, _ sql: String) throws {
    try LocalStore(path: path, milliseconds: { 1 }).write { db in try db.execute(sql) }
  }
}
