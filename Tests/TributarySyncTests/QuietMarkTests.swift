import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What one session leaves for the next one, so that it sees sooner that nothing has changed.
struct QuietMarkTests {
  private func withFixture(_ body: (ManyPeersFixture) throws -> Void) throws {
    try withTemporaryDirectory { directory in
      let fixture = try ManyPeersFixture(in: directory)
      #expect(try fixture.isQuiet())
      try body(fixture)
    }
  }

  @Test func `a new session lists no peer and opens no file while nothing changes`() throws {
    try withFixture { fixture in
      for _ in 0..<10 {
        let isQuiet = try fixture.isQuiet()
        #expect(isQuiet)
        fixture.turn.number.add(1, ordering: .relaxed)
      }
    }
  }

  @Test func `the second look of a session is its own`() throws {
    try withFixture { fixture in
      let session = try fixture.session()
      try session.exchange()
      _ = fixture.files.takeUses()
      try session.exchange()
      #expect(fixture.files.takeUses().contains("open peer.json"))
    }
  }

  @Test func `what another device writes is imported`() throws {
    try withFixture { fixture in
      try fixture.other.execute("INSERT INTO t VALUES (1, 'one')")
      try fixture.other.exchange()
      try fixture.report { #expect($0.imported.transactions == 1) }
      try fixture.expectNoticed()
    }
  }

  @Test func `what the store itself has written is published`() throws {
    try withFixture { fixture in
      try fixture.session().execute("INSERT INTO t VALUES (2, 'two')")
      try fixture.report { #expect($0.published.transactions == 1) }
      try fixture.expectNoticed()
    }
  }

  @Test func `a file that is written over in its place is seen when it is its turn`() throws {
    try withFixture { fixture in
      let path = try fixture.directory.manifest(of: fixture.other.store.peer)
      let handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.write(contentsOf: Data("{".utf8))
      try handle.close()
      var looks = 0
      while try fixture.isQuiet() {
        looks += 1
        guard looks < 8 else { break }
        fixture.turn.number.add(1, ordering: .relaxed)
      }
      #expect(looks < 8)
    }
  }

  @Test func `an own segment that is gone is published again`() throws {
    try withFixture { fixture in
      let session = try fixture.session()
      try session.execute("INSERT INTO t VALUES (2, 'two')")
      try session.exchange()
      try fixture.expectNoticed()
      let log = try fixture.directory.log(of: session.store.peer)
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first)
      try change("\(log)/\(name)") { $0[$0.count - 1] ^= 1 }
      #expect(try !fixture.isQuiet())
      try FileManager.default.removeItem(atPath: "\(log)/\(name)")
      try fixture.report { _ in }
      #expect(try FileManager.default.contentsOfDirectory(atPath: log) == [name])
    }
  }

  @Test func `a peer that comes or goes is noticed`() throws {
    try withFixture { fixture in
      let peer = PeerIdentity(high: 9000, low: 1)
      let path = fixture.devices.container + "/tributary/C/peers/\(peer)"
      try FileManager.default.createDirectory(
        atPath: path + "/log", withIntermediateDirectories: true)
      try fixture.expectNoticed()
      try FileManager.default.removeItem(atPath: path)
      try fixture.expectNoticed()
    }
  }

  @Test func `a setting of the store that another process changes is noticed`() throws {
    try withFixture { fixture in
      try fixture.session().store.service {
        try Settings($0).set(.spaceLimit, .integer(1 << 40))
      }
      try fixture.expectNoticed()
    }
  }

  @Test func `a copy of the store is another one`() throws {
    try withFixture { fixture in
      let path = fixture.devices.path("own")
      try FileManager.default.copyItem(atPath: path, toPath: path + "2")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + "2", toPath: path)
      #expect(try !fixture.isQuiet())
    }
  }

  @Test func `one session in sixty looks for itself, and writes nothing where nothing has changed`()
    throws
  {
    try withFixture { fixture in
      let own = try fixture.session()
      func mark() throws -> String? { try own.store.service { try Settings($0).text(.quiet) } }
      func version() throws -> UInt32 { try own.store.service { $0.dataVersion } }
      let before = (try mark(), try version())
      var looks = 0
      for _ in 0..<480 {
        let isQuiet = try fixture.isQuiet()
        if !isQuiet { looks += 1 }
        fixture.turn.number.add(1, ordering: .relaxed)
      }
      #expect(looks == 8)
      #expect(try mark() == before.0)
      #expect(try version() == before.1)
    }
  }

  @Test func `the work of a new day is done`() throws {
    try withFixture { fixture in
      // The clock begins at a quarter past ten in the evening.
      fixture.clock.advance(by: 6_300_000)
      #expect(try fixture.isQuiet())
      fixture.clock.advance(by: 200_000)
      try fixture.expectNoticed()
    }
  }

  @Test func `what has to be said again leaves no mark`() throws {
    try withFixture { fixture in
      try fixture.other.execute("INSERT INTO t VALUES (1, 'one')")
      try fixture.other.exchange()
      let log = try fixture.directory.log(of: fixture.other.store.peer)
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: log).first)
      try change("\(log)/\(name)") { $0[$0.count / 2] ^= 1 }
      for _ in 0..<3 { try fixture.report { #expect($0.damaged.count == 1) } }
    }
  }

  @Test func `where a change might be missed each session looks for itself`() throws {
    try withFixture { fixture in
      fixture.files.isRestless.store(true, ordering: .relaxed)
      for _ in 0..<3 {
        let isQuiet = try fixture.isQuiet()
        #expect(!isQuiet)
      }
    }
  }

  @Test func `few peers are looked at each time, and the store keeps nothing`() throws {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let session = try devices.open("a", "CREATE TABLE t (id INTEGER PRIMARY KEY)")
      for _ in 0..<3 { try session.exchange() }
      let mark = try session.store.service { try Settings($0).text(.quiet) }
      #expect(mark == nil)
    }
  }
}
