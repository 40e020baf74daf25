import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySync
import TributaryTesting

/// What a network file system lists and says to be missing a moment later, although nothing changes.
struct VanishedFileTests {
  private func withDevices(
    _ body: (
      _ files: VanishingFileSystem, _ own: SyncSession, _ other: SyncSession,
      _ place: ContentDirectory
    ) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let other = try devices.open("other", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
      try devices.attach("own")
      let files = VanishingFileSystem()
      let own = try SyncSession(
        store: devices.path("own"),
        environment: StoreEnvironment(fileSystem: files, containerLimit: nil))
      for session in [other, own, other, own, own] { try session.exchange() }
      try other.execute("INSERT INTO t VALUES (1, 'one')")
      try other.exchange()
      let place = ContentDirectory(container: devices.container, name: try ContentName("C"))
      try body(files, own, other, place)
    }
  }

  @Test(arguments: ["peer", "log", "segment"])
  func `what can be found again is imported next time`(what: String) throws {
    try withDevices { files, own, other, place in
      // The look that precedes the import, the import itself, and what else there may be.
      for time in 1...3 {
        switch what {
        case "peer": files.deny("list", "\(other.store.peer)", time: time)
        case "log": files.deny("list", "log", time: time)
        default:
          let log = place.log(of: other.store.peer)
          let names = try FileManager.default.contentsOfDirectory(atPath: log)
          files.deny("open", try #require(names.max()), time: time)
        }
        var count = 0
        for _ in 0..<2 { count += try own.synchronize().imported.transactions }
        #expect(count == 1)
        try other.execute("INSERT INTO t (v) VALUES ('more')")
        try other.exchange()
      }
    }
  }

  @Test(arguments: ["baseline", "manifest"])
  func `what could not be found is read next time`(what: String) throws {
    try withDevices { files, own, other, place in
      let peer = other.store.peer
      for session in [own, other, own] { try session.exchange() }
      let name: String
      if what == "baseline" {
        _ = try other.writeBaseline()
        let names = try FileManager.default.contentsOfDirectory(atPath: place.baseline(of: peer))
        name = try #require(names.max())
      } else {
        try other.execute("INSERT INTO t (v) VALUES ('more')")
        try other.exchange()
        name = "\(peer)/peer.json"
      }
      files.deny("open", name)
      _ = try own.synchronize()
      var isRead = false
      files.before("open", name) { isRead = true }
      for _ in 0..<2 { _ = try own.synchronize() }
      #expect(isRead)
    }
  }
}
