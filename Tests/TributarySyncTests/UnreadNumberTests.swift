import Glibc
import Synchronization
import Testing
import TributaryFiles
import TributarySync
import TributaryTesting

/// A file whose rows have numbers that were given twice, and which can be read at first, but not any more when its
/// rows are to be written.
struct UnreadNumberTests {
  private static let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, x); CREATE TABLE u (x);"

  @Test(arguments: 1...6, [EIO, ENOTCONN, EACCES, ENOENT])
  func `moves no row until it is imported`(time: Int, code: Int32) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let other = try devices.open("other", Self.script)
      let third = try devices.open("third", Self.script)
      try devices.attach("own", Self.script)
      let files = RefusingFileSystem()
      let own = try SyncSession(
        store: devices.path("own"),
        environment: StoreEnvironment(fileSystem: files, containerLimit: nil))
      try other.execute("INSERT INTO t (x) VALUES ('other')")
      try own.execute("INSERT INTO t (x) VALUES ('own')")
      try third.execute("INSERT INTO u VALUES ('third')")
      for session in [other, third] { try session.exchange() }
      let place = "/\(other.store.peer)/log/"
      let opened = Mutex(0)
      files.refuse { operation, path in
        guard operation == .open, path.contains(place) else { return nil }
        let count = opened.withLock { count in
          count += 1
          return count
        }
        return count == time ? code : nil
      }
      let report = try own.synchronize()
      let isImported = report.imported.peers.contains { $0.peer == other.store.peer }
      let rows = try own.rows("SELECT abs(id) < 9, x FROM t ORDER BY x")
      #expect(rows == (isImported ? ["1|other", "0|own"] : ["1|own"]))
      files.refuse { _, _ in nil }
      try expectEqualAfterExchange(own, other, third)
    }
  }
}
