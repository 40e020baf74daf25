import Foundation
import Synchronization
import Testing
import TributaryCore
import TributarySQLite
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// What other programs write into stores without triggers, which a comparison with the logs finds.
struct UncapturedWriteTests {
  private static let script = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n REAL, b);
    CREATE TABLE c (k TEXT, s INTEGER, v TEXT, PRIMARY KEY (k, s)) WITHOUT ROWID;
    CREATE TABLE own (x);
    INSERT INTO p VALUES (1, 'one', 1.5, x'00'), (2, 'two', 2, 't'), (3, 'three', 0.0, NULL);
    INSERT INTO c VALUES ('a', 1, 'x'), ('b', 1, 'y');
    """

  private func withPair(_ body: (SyncDevices, SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", Self.script, tables: .except(["own"]))
      #expect(try !mayBeForeign(devices.path("a")))
      try a.exchange()
      let b = try devices.open("b")
      try exchange(a, b)
      try body(devices, a, b)
    }
  }

  /// As a process sees it that has just begun, and that changes nothing.
  private func mayBeForeign(_ path: String) throws -> Bool {
    let connection = try Connection(path: path, mode: .readWrite)
    connection.keepWriteAheadLog()
    defer { connection.close() }
    return try ForeignCapture(connection).isBroken()
  }

  @Test func `a disk that promises nothing changes nothing about that`() throws {
    RecordingVFS.install()
    try withPair { devices, a, b in
      // Each commit waits for the disk, and SQLite fills the sector behind it.
      try write("PRAGMA synchronous = FULL; UPDATE p SET n = 5 WHERE id = 1", to: a)
      #expect(try mayBeForeign(devices.path("a")))
      #expect(try a.synchronize().uncaptured?.tables == ["p"])
      #expect(try !mayBeForeign(devices.path("a")))
      try exchange(a, b)
      #expect(try b.rows("SELECT n FROM p WHERE id = 1") == ["5.0"])
    }
  }

  /// Writes as a program does that has a SQLite of its own.
  private func write(_ sql: String, to session: SyncSession) throws {
    let connection = try Connection(path: session.store.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(sql)
  }

  private func expectEqual(_ sessions: SyncSession...) throws {
    for _ in 0..<3 { for session in sessions { try session.exchange() } }
    #expect(try Set(sessions.map { try $0.store.digest().total }).count == 1)
    for session in sessions {
      #expect(try Engine.verify(store: session.store.path).differences.isEmpty)
    }
  }

  @Test(arguments: [
    (
      "INSERT INTO p (name, n, b) VALUES ('four', 4, 1); UPDATE p SET n = 7 WHERE id = 1", "table p"
    ),
    ("DELETE FROM p WHERE id = 1; UPDATE c SET v = 'z' WHERE k = 'b'", "tables c, p"),
    ("INSERT OR REPLACE INTO p VALUES (9, 'one', 3, 3)", "table p"),
    ("UPDATE c SET k = 'A' WHERE k = 'a'", "table c"),
    ("DELETE FROM c; DELETE FROM p", "tables c, p"),
  ])
  func `what another program writes is noticed, recorded and named`(
    sql: String, tables: String
  ) throws {
    try withPair { _, a, b in
      try write(sql, to: a)
      let rows = try (a.rows("SELECT * FROM p"), a.rows("SELECT * FROM c"))
      #expect(try a.status().findings.contains { $0.contains("of \(tables)") })
      #expect(
        try a.diagnose().contains {
          $0.code == .foreignWrites && $0.severity == .warning
            && $0.explanation.contains("of \(tables)")
        })
      let found = try a.synchronize().uncaptured
      #expect(found?.description.contains("of \(tables) while") == true)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT * FROM p") == rows.0)
      #expect(try b.rows("SELECT * FROM c") == rows.1)
      let findings = try a.status().findings.filter { $0.contains("another program") }
      #expect(findings.count == 1 && findings[0].contains("of \(tables) while nothing captured it"))
    }
  }

  @Test func `own work alone is never taken for that of others`() throws {
    try withPair { devices, a, b in
      func expectOwn(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in ["a", "b"] {
          #expect(try !mayBeForeign(devices.path(name)), sourceLocation: sourceLocation)
        }
      }
      try a.execute("INSERT INTO own VALUES (1)")
      try expectOwn()
      try a.store.run(script: "CREATE TABLE more (id INTEGER PRIMARY KEY, x)") { _ in }
      try expectOwn()
      // The second row breaks the key, so that all is rolled back.
      _ = try? a.execute(
        "INSERT INTO p VALUES (10, 'ten', 1, 1); INSERT INTO p VALUES (10, 'x', 1, 1)")
      try expectOwn()
      // One row was written and taken back, and the transaction is committed.
      try a.store.write { database in
        _ = #expect(throws: SQLiteError.self) {
          try database.execute("INSERT INTO p VALUES (11, 'x', 1, 1), (12, 'one', 1, 1)")
        }
      }
      try expectOwn()
      // So many that the log begins anew a few times.
      for round in 0..<40 {
        try a.execute(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
          INSERT INTO c SELECT '\(round)', i, hex(randomblob(600)) FROM n
          """)
        if round % 8 == 0 { try expectOwn() }
      }
      try exchange(a, b)
      try expectOwn()
      try b.execute("UPDATE p SET n = 9; DELETE FROM c WHERE k = '3'")
      try a.execute("UPDATE p SET n = 10")
      try exchange(a, b)
      try expectOwn()
      a.store.close()
      try expectOwn()
      let again = try SyncSession(store: devices.path("a"))
      try expectOwn()
      try again.execute("DELETE FROM p WHERE id = 3")
      try expectOwn()
      try again.exchange()
      again.store.close()
      try expectOwn()
      _ = try Engine.rebuild(store: devices.path("a"))
      try expectOwn()
      #expect(try Engine.verify(store: devices.path("a")).differences.isEmpty)
      try expectOwn()
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      request.peerName = "another name"
      _ = try Engine.attach(request)
      try expectOwn()
      request.capture = .triggers
      _ = try Engine.attach(request)
      // What might have been written before is compared.
      try SyncSession(store: devices.path("a")).exchange()
      request.capture = .hook
      _ = try Engine.attach(request)
      try expectOwn()
      let last = try SyncSession(store: devices.path("a"))
      try exchange(last, b)
      try expectOwn()
    }
  }

  @Test func `an import overwrites nothing that was not captured`() throws {
    try withPair { _, a, b in
      try b.execute("UPDATE p SET n = 100, name = 'of b' WHERE id = 1")
      try b.exchange()
      try write("UPDATE p SET b = 'of a' WHERE id = 1", to: a)
      try expectEqual(a, b)
      #expect(try a.rows("SELECT name, n, b FROM p WHERE id = 1") == ["of b|100.0|of a"])
    }
  }

  @Test func `neither does one that has begun`() throws {
    try withPair { devices, _, b in
      for number in 1...6 { try b.execute("UPDATE p SET n = \(number), b = 'of b' WHERE id <= 2") }
      try b.exchange()
      var environment = StoreEnvironment()
      environment.importRowLimit = 2
      let a = try SyncSession(store: devices.path("a"), environment: environment)
      var isWritten = false
      _ = try a.synchronize(didImport: { _ in
        if isWritten { return }
        isWritten = true
        try write("UPDATE p SET name = 'of a' WHERE id = 1", to: a)
      })
      #expect(isWritten)
      try expectEqual(a, b)
      #expect(try b.rows("SELECT name, n, b FROM p WHERE id = 1") == ["of a|6.0|of b"])
    }
  }

  @Test func `a rebuild keeps what was not captured`() throws {
    try withPair { _, a, b in
      try write("INSERT INTO p VALUES (60, 'sixty', 1, 1); DELETE FROM p WHERE id = 1", to: a)
      a.store.close()
      _ = try Engine.rebuild(store: a.store.path)
      let again = try SyncSession(store: a.store.path)
      #expect(try again.rows("SELECT id FROM p ORDER BY id") == ["2", "3", "60"])
      try expectEqual(again, b)
    }
  }

  @Test func `what was written before the triggers came, or after they went, is found`() throws {
    try withPair { devices, a, b in
      var request = AttachRequest(
        store: devices.path("a"), container: devices.container, contentName: "C")
      for capture in [CaptureMethod.triggers, .hook, .triggers] {
        try write("UPDATE p SET n = n + 1 WHERE id = 1", to: a)
        request.capture = capture
        _ = try Engine.attach(request)
        try write("UPDATE p SET n = n + 1 WHERE id = 2", to: a)
      }
      try expectEqual(a, b)
      #expect(try b.rows("SELECT n FROM p WHERE id < 3") == ["4.5", "5.0"])
    }
  }

  @Test(arguments: [false, true], [CaptureMethod.hook, .triggers])
  func `what another program writes into a restored store is kept, and nothing else is found`(
    arrivesFirst: Bool, capture: CaptureMethod
  ) throws {
    try withPair { devices, first, b in
      var a = first
      try a.store.choose(capture)
      try a.exchange()
      let backup = try StoreBackup(of: a)
      let former = a.store.peer
      for number in 1...3 {
        try a.execute("INSERT INTO p VALUES (10 + \(number), 'old \(number)', 1, 1)")
        try a.exchange()
      }
      let bring = try devices.hideLog(of: former, from: 2, toldBy: b.store.peer)
      a = try backup.restore()
      if arrivesFirst { try bring() }
      // Somebody has dropped the triggers.
      if capture == .triggers { try write("DROP TRIGGER tributary_capture_update_p", to: a) }
      try write("UPDATE p SET b = 'of the program' WHERE id = 2", to: a)
      var rows: [SyncReport.Uncaptured] = []
      for number in 1...3 {
        try a.execute("INSERT INTO p VALUES (20 + \(number), 'new \(number)', 1, 1)")
        rows += try [a.synchronize().uncaptured].compactMap(\.self)
      }
      if !arrivesFirst { try bring() }
      for _ in 0..<4 {
        for session in [a, b] {
          rows += try [session.synchronize().uncaptured].compactMap(\.self)
        }
      }
      #expect(rows == [SyncReport.Uncaptured(rows: 1, tables: ["p"])])
      #expect(a.store.peer != former)
      try expectEqual(a, b)
      for session in [a, b] {
        #expect(
          try session.rows("SELECT id FROM p ORDER BY id")
            == ["1", "2", "3", "11", "12", "13", "21", "22", "23"])
        #expect(try session.rows("SELECT b FROM p WHERE id = 2") == ["of the program"])
      }
    }
  }

  /// Writes all the time, with just enough room for others to take the lock; no check depends on the pause.
  private final class BusyProgram: Sendable {
    private let isEnded = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(path: String) {
      Thread.detachNewThread { [self] in
        defer { hasEnded.signal() }
        guard let connection = try? Connection(path: path, mode: .readWrite) else {
          Issue.record("the program cannot open the database")
          return
        }
        while !isEnded.load(ordering: .relaxed) {
          // Another commit may be in its way for long.
          try? connection.execute("UPDATE p SET n = n + 1 WHERE id = 1")
          usleep(200)
        }
      }
    }

    func end() {
      isEnded.store(true, ordering: .relaxed)
      hasEnded.wait()
    }
  }

  @Test func `a program that writes all the time is kept waiting for a comparison`() throws {
    try withPair { _, a, b in
      let program = BusyProgram(path: a.store.path)
      for _ in 0..<5 {
        try b.execute("UPDATE p SET b = 'of b' WHERE id = 2")
        for session in [a, b] {
          // It is kept waiting only where comparing takes less than a second.
          let report = try Contention.outwait {
            let report = try session.synchronize()
            if let failure = report.failure { throw failure }
            return report
          }
          #expect(report.waiting == [] && report.damaged.isEmpty)
        }
      }
      program.end()
      try expectEqual(a, b)
      #expect(try b.rows("SELECT b FROM p WHERE id = 2") == ["of b"])
    }
  }

  /// What happens to a store, by its own processes and by others.
  private enum Step: CaseIterable {
    case own, ownBeside, ownLarge, synchronize, publish, close
    case write, writeOpen, read, checkpoint, vacuum, mode
  }

  @Test(arguments: 0..<(Soak.isRunning ? 1000 : 10) as Range<UInt64>)
  func `no write of another program is missed, whatever happens before and after it`(
    seed: UInt64
  ) throws {
    try withPair { devices, first, b in
      var random = SeededGenerator(seed: seed)
      var session: SyncSession? = first
      // A program that has the database open for long.
      var other: Connection?
      var isUnknown = false
      var count = 0
      func opened() throws -> SyncSession {
        let open = try session ?? SyncSession(store: devices.path("a"))
        session = open
        return open
      }
      for _ in 0..<60 {
        count += 1
        let step = Step.allCases.randomElement(using: &random)!
        switch step {
        case .own: try opened().execute("UPDATE p SET n = n + 1 WHERE id = 1")
        case .ownBeside: try opened().execute("INSERT INTO own VALUES (1)")
        case .ownLarge:
          let most = [1000, 30_000, 300_000, 3_000_000].randomElement(using: &random)!
          let size = Int.random(in: 1...most, using: &random)
          try opened().execute(
            "REPLACE INTO c VALUES ('large', \(count % 3), hex(zeroblob(\(size))))")
        case .synchronize:
          try opened().exchange()
          #expect(try !mayBeForeign(devices.path("a")), "after \(count) of seed \(seed)")
          isUnknown = false
        case .publish:
          _ = try opened().publish()
          isUnknown = false
        case .close:
          session?.store.close()
          session = nil
        case .write:
          let connection = try Connection(path: devices.path("a"), mode: .readWrite)
          try connection.execute("UPDATE p SET b = \(count) WHERE id = 2")
          connection.close()
          isUnknown = true
        case .writeOpen:
          let connection = try other ?? Connection(path: devices.path("a"), mode: .readWrite)
          other = connection
          try connection.execute("UPDATE p SET b = \(count) WHERE id = 3")
          isUnknown = true
        case .read:
          other?.close()
          other = nil
          let connection = try Connection(path: devices.path("a"), mode: .readWrite)
          _ = try connection.integer("SELECT count(*) FROM p")
          connection.close()
        case .checkpoint:
          let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random)!
          try write("PRAGMA wal_checkpoint(\(mode))", to: opened())
        case .vacuum: try write("VACUUM", to: opened())
        case .mode:
          session?.store.close()
          session = nil
          other?.close()
          other = nil
          let connection = try Connection(path: devices.path("a"), mode: .readWrite)
          try connection.execute("PRAGMA journal_mode = DELETE")
          try connection.execute("UPDATE p SET b = \(count) WHERE id = 2")
          connection.close()
          isUnknown = true
          _ = try opened()
        }
        if isUnknown {
          #expect(
            try mayBeForeign(devices.path("a")), "\(step) as number \(count) of seed \(seed)")
        }
      }
      other?.close()
      let a = try opened()
      let rows = try a.rows("SELECT * FROM p")
      try expectEqual(a, b)
      #expect(try b.rows("SELECT * FROM p") == rows, "seed \(seed)")
    }
  }
}
