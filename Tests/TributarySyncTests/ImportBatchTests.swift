import Foundation
import Testing
import TributaryCore
import TributaryStore
import TributarySync
import TributaryTesting

/// Imports of so much that it takes several SQLite transactions, of which one is put together while
/// another is written.
struct ImportBatchTests {
  private struct Refusal: Error {}

  /// Two stores, and 45 transactions of 1,000 rows each in the log of `a` that `b` has not.
  private func withLongLog(
    _ body: (SyncDevices, _ a: SyncSession, _ b: SyncSession) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
      try a.exchange()
      let b = try devices.open("b")
      try b.exchange()
      for number in 0..<45 { try write(1000, after: number * 1000, to: a) }
      try a.exchange()
      try body(devices, a, b)
    }
  }

  private func write(_ count: Int, after first: Int, to session: SyncSession) throws {
    try session.store.write { database in
      try database.execute(
        """
        WITH RECURSIVE n (k) AS (SELECT ? UNION ALL SELECT k + 1 FROM n LIMIT ?)
        INSERT INTO t SELECT k, 'row ' || k FROM n
        """, first + 1, count)
    }
  }

  /// Of long blobs, only whether they are zeros: as text, they would take longer than everything else.
  private func contents(_ session: SyncSession) throws -> [String] {
    try session.rows(
      """
      SELECT k, typeof(v), length(v), 
        iif(typeof(v) = 'blob' AND length(v) > 100, v = zeroblob(length(v)), v)
      FROM t ORDER BY k
      """)
  }

  /// The sequences that reports name, as one list.
  private func sequences(_ reports: [SyncReport.Imported]) -> [UInt64] {
    reports.flatMap { report in
      report.peers.flatMap { Array($0.first.rawValue...$0.last.rawValue) }
    }
  }

  private func insertedRows(_ reports: [SyncReport.Imported]) -> Int {
    reports.reduce(0) { $0 + $1.changes.reduce(0) { $0 + $1.changes.inserted.count } }
  }

  @Test func `each batch is told once, in order, and all of them are there`() throws {
    try withLongLog { _, a, b in
      var told: [SyncReport.Imported] = []
      let report = try b.synchronize { told.append($0) }
      #expect(told.count > 3)
      #expect(sequences(told) == Array(1...45))
      #expect(insertedRows(told) == 45_000)
      #expect(report.imported.transactions == 45)
      #expect(try contents(b) == contents(a))
    }
  }

  @Test func `a transaction larger than any batch comes between others`() throws {
    try withLongLog { _, a, b in
      try a.store.write { database in
        for number in 0..<40 {
          try database.execute(
            "INSERT INTO t VALUES (?, zeroblob(1 << 20)), (?, randomblob(10))", 50_000 + number,
            -number)
        }
      }
      try write(15_000, after: 60_000, to: a)
      try a.exchange()
      var told: [SyncReport.Imported] = []
      _ = try b.synchronize { told.append($0) }
      #expect(sequences(told) == Array(1...47))
      #expect(insertedRows(told) == 60_080)
      #expect(try contents(b) == contents(a))
    }
  }

  @Test(arguments: [1, 2, 4])
  func `when what is told of a batch is refused, the others are told later`(number: Int) throws {
    try withLongLog { _, a, b in
      var told: [SyncReport.Imported] = []
      #expect(throws: Refusal.self) {
        _ = try b.synchronize { imported in
          told.append(imported)
          if told.count == number { throw Refusal() }
        }
      }
      _ = try b.synchronize { told.append($0) }
      #expect(sequences(told) == Array(1...45))
      #expect(insertedRows(told) == 45_000)
      #expect(try contents(b) == contents(a))
    }
  }

  @Test func `what another one imports between two batches is not imported again`() throws {
    try withLongLog { devices, a, b in
      let other = try SyncSession(store: devices.path("b"))
      var told: [SyncReport.Imported] = []
      let report = try b.synchronize { imported in
        told.append(imported)
        if told.count == 1 { try other.exchange() }
      }
      #expect(report.failure == nil)
      _ = try b.synchronize { told.append($0) }
      #expect(sequences(told) == Array(1...45))
      #expect(told.filter(\.isByAnotherProcess).count > 1)
      #expect(try contents(b) == contents(a))
    }
  }

  @Test func `a write between two batches is neither lost nor in the way`() throws {
    try withLongLog { _, a, b in
      var count = 0
      _ = try b.synchronize { _ in
        count += 1
        try b.store.write { try $0.execute("INSERT INTO t VALUES (?, 'here')", -count) }
      }
      #expect(count > 3)
      try b.exchange()
      try a.exchange()
      #expect(try contents(b) == contents(a))
      #expect(try b.rows("SELECT count(*) FROM t WHERE v = 'here'") == ["\(count)"])
    }
  }

  @Test func `a table that is not here stops only what comes after it`() throws {
    try withLongLog { _, a, b in
      try a.store.write { try $0.execute("CREATE TABLE u (k INTEGER PRIMARY KEY)") }
      try a.store.write { try $0.execute("INSERT INTO u VALUES (1)") }
      try write(1000, after: 70_000, to: a)
      try a.exchange()
      var told: [SyncReport.Imported] = []
      let report = try b.synchronize { told.append($0) }
      #expect(report.waiting.map(\.sequence) == [SequenceNumber(46)])
      #expect(sequences(told) == Array(1...45))
      #expect(try b.rows("SELECT count(*) FROM t") == ["45000"])
    }
  }

  @Test func `a file that breaks off in its middle holds up only what is in it and after it`()
    throws
  {
    try withLongLog { devices, a, b in
      try write(1000, after: 80_000, to: a)
      try a.exchange()
      let peer = try a.store.identity().peer
      let log = "\(devices.container)/tributary/C/peers/\(peer)/log"
      let last = try #require(
        try FileManager.default.contentsOfDirectory(atPath: log).sorted().last)
      let file = try FileHandle(forWritingTo: URL(filePath: "\(log)/\(last)"))
      try file.truncate(atOffset: file.seekToEnd() / 2)
      try file.close()
      var told: [SyncReport.Imported] = []
      let report = try b.synchronize { told.append($0) }
      #expect(report.damaged.isEmpty && report.arriving.count == 1)
      #expect(sequences(told) == Array(1...45))
      // It is published again.
      try a.exchange()
      _ = try b.synchronize { told.append($0) }
      #expect(sequences(told) == Array(1...46))
      #expect(try contents(b) == contents(a))
    }
  }
}
