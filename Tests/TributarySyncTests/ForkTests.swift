import Foundation
import Testing
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// Stores that are not the continuation of what they have published.
struct ForkTests {
  @Test(arguments: 0...3)
  func `a store restored from a backup publishes nothing, however much it has written since`(
    writes: Int
  ) throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createDirectory(
        atPath: directory + "/shared", withIntermediateDirectories: true)
      let path = directory + "/a.sqlite"
      _ = try Engine.attach(
        AttachRequest(store: path, container: directory + "/shared", contentName: "N"))
      try write(to: path, "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      try write(to: path, "INSERT INTO t VALUES (2)")
      let backup = try Data(contentsOf: URL(filePath: path))
      try write(to: path, "INSERT INTO t VALUES (3)")
      try write(to: path, "INSERT INTO t VALUES (4)")
      #expect(try SyncSession(store: path).synchronize().published.transactions == 4)

      try backup.write(to: URL(filePath: path))
      for id in 0..<writes { try write(to: path, "INSERT INTO t VALUES (\(10 + id))") }
      let report = try SyncSession(store: path).synchronize()
      #expect((report.failure as? SyncError)?.code == .forked)
      #expect(report.published.segments == 0)
    }
  }

  /// Opens a store for one write.
  private func write(to path: String, _ sql: String) throws {
    let clock = SystemClock()
    try LocalStore(path: path, milliseconds: { clock.milliseconds() }).write { db in
      try db.execute(sql)
    }
  }
}
