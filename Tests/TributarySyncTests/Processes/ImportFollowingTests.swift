import Foundation
import Testing
import TributaryCore
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Several sessions on one store, as several processes have them: each is told of what the others
/// import.
struct ImportFollowingTests {
  @Test func `what another process imports is told once, in order, among one's own imports`() throws
  {
    try withDevices { devices, author in
      let own = try SyncSession(store: devices.path("b"))
      let other = try SyncSession(store: devices.path("b"))
      let told = Recorded<SyncReport.Imported>()
      let toldToOther = Recorded<SyncReport.Imported>()
      for id in 1...6 {
        try author.execute("INSERT INTO t VALUES (\(id), 'x')")
        try author.exchange()
        if id % 3 == 0 {
          _ = try own.synchronize { told.append($0) }
        } else {
          _ = try other.synchronize { toldToOther.append($0) }
        }
        if id == 4 { try own.follow { told.append($0) } }
      }
      for _ in 0..<2 {
        try own.follow { told.append($0) }
        try other.follow { toldToOther.append($0) }
      }
      let all = (1...6).map { [Value.integer($0)] }
      #expect(told.keys == all && toldToOther.keys == all)
      #expect(told.all.map(\.isByAnotherProcess) == [true, true, false, true, true, false])
      #expect(
        toldToOther.all.map(\.isByAnotherProcess) == [false, false, true, false, false, true])
    }
  }

  @Test func `of more than 16 MB of keys only the number is kept, and others are told so`() throws {
    try withDevices("CREATE TABLE t (k TEXT PRIMARY KEY) WITHOUT ROWID") { devices, author in
      let session = try SyncSession(store: devices.path("b"))
      let other = try SyncSession(store: devices.path("b"))
      try author.execute("INSERT INTO t VALUES ('first')")
      for id in 1...17 {
        try author.execute("INSERT INTO t VALUES (printf('%d%.*c', \(id), 1000000, 'x'))")
      }
      try author.exchange()
      var told: [SyncReport.Imported] = []
      let imported = try session.synchronize { told.append($0) }.imported
      #expect(imported.mayHaveChangedEverything && imported.transactions == 18)
      #expect(imported.changes.map(\.changes.inserted.count) == [18])
      #expect([imported].keys.isEmpty)
      #expect(told.reduce(0) { $0 + ($1.changes.first?.changes.inserted.count ?? 0) } == 18)
      told = []
      try other.follow { told.append($0) }
      #expect(told.contains { $0.mayHaveChangedEverything })
      try author.execute("INSERT INTO t VALUES ('last')")
      try author.exchange()
      let last = try session.synchronize().imported
      #expect(!last.mayHaveChangedEverything && [last].keys == [["last"]])
    }
  }

  @Test func `imports of long ago are forgotten, and who was away is told of everything`() throws {
    try withDevices { devices, author in
      let clock = AdjustableClock(milliseconds: SystemClock().milliseconds())
      var environment = StoreEnvironment()
      environment.clock = clock
      let session = try SyncSession(store: devices.path("b"), environment: environment)
      let other = try SyncSession(store: devices.path("b"), environment: environment)
      let count = {
        try session.store.service { try $0.integer("SELECT count(*) FROM tributary_import") }
      }
      for id in 1...5 {
        try author.execute("INSERT INTO t VALUES (\(id), 'x')")
        try author.exchange()
        _ = try session.synchronize()
        if id == 3 { clock.advance(by: 3_600_000) }
      }
      // Not older than an hour.
      #expect(try count() == 5)
      var told: [SyncReport.Imported] = []
      try other.follow { told.append($0) }
      #expect(told.keys == (1...5).map { [.integer($0)] })
      clock.advance(by: 1)
      _ = try session.synchronize()
      #expect(try count() == 2)
      clock.advance(by: 86_400_000)
      _ = try session.synchronize()
      // The last one is kept, and nobody takes that for news.
      #expect(try count() == 1)
      told = []
      try other.follow { told.append($0) }
      #expect(told.isEmpty)
      let away = try SyncSession(store: devices.path("b"), environment: environment)
      for id in 6...8 {
        try author.execute("INSERT INTO t VALUES (\(id), 'x')")
        try author.exchange()
        _ = try session.synchronize()
      }
      clock.advance(by: 86_400_000)
      _ = try session.synchronize()
      try away.follow { told.append($0) }
      #expect(told.map(\.mayHaveChangedEverything) == [true, false])
      #expect(Array(told.suffix(1)).keys == [[.integer(8)]])
    }
  }

  @Test func `each of several watching processes is told of each import once`() throws {
    try withDevices { devices, author in
      let told = (0..<3).map { _ in Recorded<SyncReport.Imported>() }
      let stop = StopSignal()
      let watches = try told.map { told in
        let session = try SyncSession(store: devices.path("b"))
        return try WorkerThread(name: "watch") {
          do {
            try session.watch(
              intervalMilliseconds: 50, stop: stop, didImport: { told.append($0) }
            ) { _ in }
          } catch {
            Issue.record(error)
          }
        }
      }
      func end() {
        stop.stop()
        for watch in watches { watch.join() }
      }
      defer { end() }
      let count: Int64 = 150
      for id in 1...count {
        try author.execute("INSERT INTO t VALUES (\(id), 'x')")
        try author.exchange()
      }
      // Whatever is told twice is told before the last one, and nothing is told after the end.
      try eventually { told.allSatisfy { $0.keys.contains([.integer(count)]) } }
      end()
      for told in told {
        // In the order of the commits, whoever made them.
        #expect(told.keys == (1...count).map { [.integer($0)] })
        #expect(told.all.allSatisfy { $0.peers.map(\.peer) == [author.peer] })
      }
      let byOthers = told.map { $0.all.filter(\.isByAnotherProcess).count }
      let all = told.map(\.all.count)
      // Each was made by exactly one of them.
      #expect(zip(all, byOthers).reduce(0) { $0 + $1.0 - $1.1 } == all[0])
    }
  }

  @Test func `keys of every kind arrive as they were`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE k (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
      let b = try devices.open("b")
      let other = try SyncSession(store: devices.path("b"))
      try exchange(a, b)
      let keys: [[Value]] = [
        [.integer(.min), .real(0.1)], [.string("é\u{0}\u{1}\"\\"), .blob([0, 255])],
        [.text([0xFF]), .real(-.infinity)], [.real(1e300), .string("")],
      ]
      try a.store.write { database in
        for key in keys { try database.execute("INSERT INTO k VALUES (?, ?)", key[0], key[1]) }
      }
      try a.exchange()
      try b.exchange()
      let told = Recorded<SyncReport.Imported>()
      try other.follow { told.append($0) }
      let changes = try #require(told.all.first?.changes.first)
      #expect(changes.table == "k")
      #expect(Set(changes.changes.inserted.keys) == Set(keys))
      #expect(changes.changes.updated.isEmpty && changes.changes.deleted.isEmpty)
    }
  }

  @Test func `new conflicts are told to other processes`() throws {
    try withDevices { devices, author in
      let b = try SyncSession(store: devices.path("b"))
      let other = try SyncSession(store: devices.path("b"))
      try author.execute("INSERT INTO t VALUES (1, 'start')")
      try exchange(author, b)
      try author.execute("UPDATE t SET x = 'a'")
      try b.execute("UPDATE t SET x = 'b'")
      try exchange(author, b)
      let told = Recorded<SyncReport.Imported>()
      try other.follow { told.append($0) }
      let conflicts = told.all.flatMap(\.conflicts)
      #expect(try conflicts == b.conflicts())
      #expect(conflicts.count == 1)
      // One that a stale write of this very store makes is told as well.
      let version = try b.status().version
      try b.execute("UPDATE t SET x = 'later'")
      _ = try b.store.write(basedOn: version) { try $0.execute("UPDATE t SET x = 'stale'") }
      let found = try b.examineConflicts()
      #expect(found.count == 1)
      let after = Recorded<SyncReport.Imported>()
      try other.follow { after.append($0) }
      #expect(after.all.flatMap(\.conflicts) == found)
      #expect(try other.examineConflicts().isEmpty)
      let nothing = Recorded<SyncReport.Imported>()
      try b.follow { nothing.append($0) }
      #expect(nothing.all.isEmpty)
    }
  }

  @Test func `who slept through more than is remembered learns that anything may have changed`()
    throws
  {
    try withDevices { devices, author in
      let sleeper = try SyncSession(store: devices.path("b"))
      let b = try SyncSession(store: devices.path("b"))
      for id in 1...1100 {
        try author.execute("INSERT INTO t VALUES (\(id), 'x')")
        try author.exchange()
        _ = try b.synchronize()
      }
      let entries = try b.rows("SELECT count(*), max(id) - min(id) + 1 FROM tributary_import")
      #expect(entries == ["1000|1000"])
      let told = Recorded<SyncReport.Imported>()
      try sleeper.follow { told.append($0) }
      #expect(told.all.first?.mayHaveChangedEverything == true)
      #expect(told.all.dropFirst().allSatisfy { !$0.mayHaveChangedEverything })
      #expect(told.keys == (101...1100).map { [.integer($0)] })
      try sleeper.follow { told.append($0) }
      #expect(told.all.count == 1001)
    }
  }

  @Test func `the journal does not grow with the size of imports`() throws {
    try withDevices { devices, author in
      let b = try SyncSession(store: devices.path("b"))
      for round in 0..<12 {
        try author.execute(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          INSERT INTO t SELECT \(round) * 100000 + i, NULL FROM n
          """)
        try author.exchange()
        try b.exchange()
      }
      let bytes = try b.rows(
        "SELECT sum(length(changes)) < 8000000, count(*) > 1 FROM tributary_import")
      #expect(bytes == ["1|1"])
    }
  }

  private func withDevices(
    _ schema: String = "CREATE TABLE t (id INTEGER PRIMARY KEY, x)",
    _ body: (SyncDevices, SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", schema)
      try author.exchange()
      try devices.attach("b")
      try body(devices, author)
    }
  }
}

extension SyncSession {
  fileprivate var peer: PeerIdentity? { try? store.identity().peer }
}

extension Recorded<SyncReport.Imported> {
  fileprivate var keys: [[Value]] { all.keys }
}

extension [SyncReport.Imported] {
  /// The keys inserted into the table `t`, in the order in which they were told.
  fileprivate var keys: [[Value]] {
    flatMap { imported in
      imported.changes.filter { $0.table == "t" }.flatMap { $0.changes.inserted.keys }
    }
  }
}
