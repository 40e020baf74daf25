import Foundation
import Testing
import TributaryFiles
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// Those who read or import for long, and those who write meanwhile.
struct LongReaderTests {
  @Test func `a long reader stops no import, and the log shrinks when it is gone`() throws {
    try withDevices { author, b in
      let stop = StopSignal()
      let watch = try WorkerThread(name: "watch") {
        do {
          try b.watch(intervalMilliseconds: 50, stop: stop) { _ in }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        watch.join()
      }
      let path = b.store.path
      let isReading = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let reader = try WorkerThread(name: "reader") {
        do {
          let count = try LocalStore(path: path, milliseconds: { 1 }).read { database in
            let before = try database.query("SELECT count(*) AS n FROM t")[0].integer("n")
            isReading.signal()
            mayEnd.wait()
            return try database.query("SELECT count(*) AS n FROM t")[0].integer("n") == before
          }
          #expect(count, "it reads one moment")
        } catch {
          Issue.record(error)
        }
      }
      isReading.wait()
      for id in 1...250 {
        try author.execute("INSERT INTO t VALUES (\(id), randomblob(100000))")
        try author.exchange()
      }
      try eventually { try b.rows("SELECT count(*) FROM t") == ["250"] }
      #expect(try logSize(path) > LocalStore.largeLogByteCount, "it had to grow")
      mayEnd.signal()
      reader.join()
      try eventually { try logSize(path) < 1 << 20 }
    }
  }

  @Test func `a thousand imports leave a log of the usual size`() throws {
    try withDevices { author, b in
      for id in 1...1000 {
        try author.execute("INSERT INTO t VALUES (\(id), randomblob(1000))")
        try author.exchange()
        try b.exchange()
      }
      #expect(try logSize(b.store.path) < 8 << 20)
      #expect(try logSize(author.store.path) < 8 << 20)
    }
  }

  @Test func `much is imported in parts, and who writes waits for one of them`() throws {
    try withDevices { author, b in
      try author.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO t SELECT i, 'x' FROM n
        """)
      for round in 1..<40 {
        try author.execute("INSERT INTO t SELECT id + \(round) * 10000, x FROM t WHERE id <= 10000")
      }
      try author.exchange()
      let path = b.store.path
      let written = Recorded<Int>()
      let stop = StopSignal()
      let writer = try WorkerThread(name: "writer") {
        do {
          let store = try LocalStore(path: path, milliseconds: { 1 })
          var id = -1
          while !stop.isStopped {
            try Contention.outwait {
              try store.write { try $0.execute("INSERT INTO t VALUES (?, 'own')", id) }
            }
            written.append(id)
            id -= 1
          }
        } catch {
          Issue.record(error)
        }
      }
      defer {
        stop.stop()
        writer.join()
      }
      try eventually { !written.all.isEmpty }
      var parts: [Int] = []
      let report = try b.synchronize { imported in
        parts.append(imported.changes.reduce(0) { $0 + $1.changes.inserted.count })
        // The import itself waits here, so a lock that it kept would never be free: two, since one may have been
        // written before the part was.
        let count = written.all.count
        try eventually { written.all.count >= count + 2 }
      }
      #expect(report.failure == nil && report.waiting.isEmpty)
      #expect(parts.reduce(0, +) == 400_000)
      // What one part may have where much is to be read for it.
      #expect(parts.max() ?? 0 <= 5 * StoreEnvironment().importRowLimit, "\(parts)")
      #expect(try b.rows("SELECT count(*) FROM t WHERE id > 0") == ["400000"])
    }
  }

  private func logSize(_ path: String) throws -> Int {
    Int(try LocalFileSystem().status(path + "-wal")?.size ?? 0)
  }

  private func withDevices(_ body: (SyncSession, SyncSession) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let author = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
      let b = try devices.open("b")
      try exchange(author, b)
      try body(author, b)
    }
  }
}
