import Foundation
import Testing
import TributaryFiles
import TributaryStore
import TributarySync
import TributaryTesting

/// What a store says in its `peer.json` to have imported.
struct ReceiptTests {
  @Test func `a receipt names no import that a power cut could still take back`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY)")
      try a.exchange()
      try devices.attach("b")
      let files = LoggingFileSystem()
      let b = try SyncSession(
        store: devices.path("b"), environment: StoreEnvironment(fileSystem: files))
      try b.exchange()
      try a.execute("INSERT INTO t VALUES (1)")
      try a.exchange()

      files.log = []
      try b.exchange()
      #expect(files.log == ["synchronize b.db-wal", "publish peer.json"])
      files.log = []
      try b.exchange()
      #expect(files.log == [])
    }
  }

  @Test func `an older file that a backup has brought back is written anew`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let a = try devices.open("a", "CREATE TABLE t (k INTEGER PRIMARY KEY)")
      let peer = try a.store.identity().peer
      let file = URL(filePath: "\(devices.container)/tributary/C/peers/\(peer)/peer.json")
      let old = try Data(contentsOf: file)
      try a.execute("INSERT INTO t VALUES (1)")
      try a.exchange()
      let new = try Data(contentsOf: file)
      #expect(new != old)
      try old.write(to: file, options: .atomic)
      try a.exchange()
      #expect(try Data(contentsOf: file) == new)
    }
  }
}
