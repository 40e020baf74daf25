import Foundation
import Testing
import TributaryCore
import TributarySQLite
import TributaryStore
import TributaryTesting

/// Writers that wait for hours, unless they are cancelled.
struct CancellationTests {
  private func withStore(_ body: (LocalStore) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/store.db"
      let connection = try Connection(path: path, mode: .create)
      try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)")
      connection.close()
      try Attachment(
        identity: StoreIdentity(
          peer: PeerIdentity(high: 1, low: 2), peerName: "a", container: directory,
          contentRoot: "tributary", contentName: "C"),
        selection: .all, migrations: []
      ).perform(at: path, adopts: true)
      let store = try LocalStore(
        path: path, milliseconds: { 1_700_000_000_000 }, busyMilliseconds: 10_000_000)
      defer { store.close() }
      try body(store)
      try store.write { try $0.execute("INSERT INTO t VALUES (9)") }
      #expect(try store.read { try $0.query(Int.self, "SELECT k FROM t") } == [9])
    }
  }

  /// Begins a write on another thread, cancels it, and returns what it throws.
  ///
  /// - Parameter delay: how long it may run meanwhile; a test takes several.
  private func cancelWrite(of store: LocalStore, after delay: Int) throws -> (any Error)? {
    let cancellation = Cancellation()
    let thrown = Recorded<(any Error)?>()
    let thread = Thread {
      do {
        try store.write(heeding: cancellation) { try $0.execute("INSERT INTO t VALUES (1)") }
        thrown.append(nil)
      } catch {
        thrown.append(error)
      }
    }
    thread.start()
    for _ in 0..<delay { _ = try store.read { try $0.query("SELECT k FROM t") } }
    cancellation.cancel()
    try eventually { !thrown.all.isEmpty }
    return thrown.all[0]
  }

  private static let delays = [0, 1, 10, 100, 1000]

  @Test(arguments: [false, true])
  func `a wait for another program's lock ends`(hasWritten: Bool) throws {
    try withStore { store in
      if hasWritten { try store.write { try $0.execute("DELETE FROM t") } }
      let other = try Connection(path: store.path, mode: .readWrite)
      defer { other.close() }
      try other.execute("BEGIN IMMEDIATE")
      for delay in Self.delays {
        let thrown = try cancelWrite(of: store, after: delay)
        #expect(thrown is CancellationError)
      }
      try other.execute("ROLLBACK")
    }
  }

  @Test func `a wait for another thread ends, and those who wait with it go on`() throws {
    try withStore { store in
      let written = Recorded<Bool>()
      let thread = Thread {
        written.append((try? store.write { try $0.execute("DELETE FROM t") }) != nil)
      }
      try store.write { _ in
        thread.start()
        for delay in Self.delays {
          let thrown = try cancelWrite(of: store, after: delay)
          #expect(thrown is CancellationError)
        }
        #expect(written.all.isEmpty)
      }
      try eventually { written.all == [true] }
    }
  }
}
