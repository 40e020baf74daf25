import Dispatch
import Testing
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// How long a write waits for others.
struct WriteWaitTests {
  private static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY)"

  private func withStore(_ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      try devices.attach("a", Self.schema)
      let store = try LocalStore(
        path: devices.path("a"), milliseconds: SystemClock().milliseconds, busyMilliseconds: 100)
      defer { store.close() }
      try body(store)
    }
  }

  /// Runs `body` while another thread is in the middle of a write.
  private func whileWriting(_ store: LocalStore, _ body: () throws -> Void) throws {
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let writer = try WorkerThread(name: "writer") {
      do {
        try store.write { database in
          begun.signal()
          done.wait()
          try database.execute("INSERT INTO t VALUES (1)")
        }
      } catch {
        begun.signal()
        Issue.record(error)
      }
    }
    begun.wait()
    defer { writer.join() }
    defer { done.signal() }
    try body()
  }

  @Test func `a write waits for another thread as long as for another process, and then says so`()
    throws
  {
    try withStore { store in
      try whileWriting(store) {
        let start = ContinuousClock.now
        let error = #expect(throws: SQLiteError.self) {
          try store.write { try $0.execute("INSERT INTO t VALUES (2)") }
        }
        #expect(error?.isBusy == true)
        #expect(
          "\(error!)"
            == "\(store.path): another write of this process has taken longer than 100 ms; "
            + "try again, and make long writes shorter")
        #expect(ContinuousClock.now - start >= .milliseconds(100))
      }
      #expect(try store.read { try $0.query("SELECT id FROM t").map(\.values) } == [[.integer(1)]])
      try store.write { try $0.execute("INSERT INTO t VALUES (2)") }
    }
  }

  @Test func `what a store lent while a write waited in vain is lent again`() throws {
    try withStore { store in
      for _ in 0..<3 {
        try whileWriting(store) {
          #expect(throws: SQLiteError.self) { try store.write { _ in } }
        }
        try store.write { try $0.execute("DELETE FROM t") }
      }
    }
  }

  @Test func `the wait for a turn counts as waiting, and a free store is written all the same`()
    throws
  {
    try withStore { store in
      let late = Cancellation(since: .now - .seconds(3600))
      try whileWriting(store) {
        let start = ContinuousClock.now
        let error = #expect(throws: SQLiteError.self) {
          try store.write(heeding: late) { try $0.execute("INSERT INTO t VALUES (2)") }
        }
        #expect(error?.isBusy == true && ContinuousClock.now - start < .milliseconds(100))
      }
      try store.write(heeding: late) { try $0.execute("INSERT INTO t VALUES (2)") }
      #expect(try store.read { try $0.query(Int.self, "SELECT id FROM t") } == [1, 2])
    }
  }
}
