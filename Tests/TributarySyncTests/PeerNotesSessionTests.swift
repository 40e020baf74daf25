import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributarySQLite
import TributaryStore
import TributarySync
import TributaryTesting

/// What a session notes about many peers, so that the next one need not find it out again.
struct PeerNotesSessionTests {
  /// The peers beside the two devices.
  private static let others = (2..<80).map { PeerIdentity(high: UInt64($0), low: 1) }

  private func withFixture(_ body: (ManyPeersFixture) throws -> Void) throws {
    try withTemporaryDirectory {
      try body(ManyPeersFixture(in: $0, count: Self.others.count + 2, areSpeaking: true))
    }
  }

  private func notes(_ fixture: ManyPeersFixture) throws -> Value? {
    try fixture.session().store.service { try Settings($0)[.notes] }
  }

  private func keep(_ value: Value?, _ fixture: ManyPeersFixture) throws {
    try fixture.session().store.service { try Settings($0).set(.notes, value) }
  }

  /// Imports a new row in a new session.
  ///
  /// - Returns: how many of the other peers' manifests it has read.
  private func readCount(_ fixture: ManyPeersFixture) throws -> Int {
    try fixture.other.execute("INSERT INTO t (v) VALUES ('new')")
    try fixture.other.exchange()
    let session = try fixture.session()
    _ = fixture.files.takeOpened()
    let report = try session.synchronize()
    #expect(report.failure == nil && report.imported.transactions == 1)
    let paths = Set(try Self.others.map { try fixture.directory.manifest(of: $0) })
    return paths.intersection(fixture.files.takeOpened()).count
  }

  /// What a new session says of all peers.
  private func peers(_ fixture: ManyPeersFixture) throws -> [String] {
    try fixture.session().status().peers.map { "\($0)" }
  }

  @Test func `a new session reads only what has changed`() throws {
    try withFixture { fixture in
      _ = fixture.files.takeUses()
      #expect(try readCount(fixture) == 0)
      // The devices' own.
      #expect(fixture.files.takeUses().count { $0 == "list log" } <= 4)
      try fixture.publish(Self.others[3], "another name")
      try fixture.publish(Self.others[70], "another name")
      #expect(try readCount(fixture) == 2)
    }
  }

  @Test func `what was kept says the same as the files`() throws {
    try withFixture { fixture in
      try fixture.publish(Self.others[5], "another name")
      try FileManager.default.removeItem(
        atPath: fixture.directory.manifest(of: Self.others[6]))
      #expect(try notes(fixture) != nil)
      let some = try peers(fixture)
      try keep(nil, fixture)
      #expect(try some == peers(fixture))
      #expect(
        some.contains { $0.contains("another name") } && !some.contains { $0.contains("name 8") })
    }
  }

  @Test func `a few changed files are read each time, and many once`() throws {
    try withFixture { fixture in
      let before = try notes(fixture)
      // With the manifests of the two devices, these are one less than make a session note everything again.
      for peer in Self.others[..<29] { try fixture.publish(peer, "changed") }
      for _ in 0..<2 {
        let count = try readCount(fixture)
        #expect(count == 29)
      }
      #expect(try notes(fixture) == before)
      for peer in Self.others { try fixture.publish(peer, "again") }
      #expect(try readCount(fixture) == Self.others.count)
      #expect(try readCount(fixture) == 0)
      #expect(try notes(fixture) != before)
    }
  }

  @Test func `a damaged manifest is reported although a whole one was kept`() throws {
    try withFixture { fixture in
      let path = try fixture.directory.manifest(of: Self.others[2])
      var bytes = Array(try Data(contentsOf: URL(filePath: path)))
      bytes[bytes.count / 2] ^= 1
      try LocalFileSystem().replace(path, with: bytes)
      try fixture.other.execute("INSERT INTO t (v) VALUES ('new')")
      _ = try fixture.other.synchronize()
      try fixture.report { #expect($0.damaged.count == 1 && $0.imported.transactions == 1) }
    }
  }

  @Test func `a manifest that is written over in its place is read within eight sessions`() throws {
    try withFixture { fixture in
      let paths = try Self.others.map { URL(filePath: try fixture.directory.manifest(of: $0)) }
      let before = try paths.map { try Data(contentsOf: $0) }
      for peer in Self.others { try fixture.publish(peer, "another name") }
      #expect(try readCount(fixture) == Self.others.count)
      for (path, bytes) in zip(paths, before) { try bytes.write(to: path) }
      var counts: [Int] = []
      for _ in 0..<9 {
        counts.append(try readCount(fixture))
        fixture.turn.number.add(1, ordering: .relaxed)
      }
      // Each once, when it is its turn.
      #expect(counts[..<8].allSatisfy { $0 > 0 } && counts.reduce(0, +) == Self.others.count)
      #expect(counts[8] == 0, "\(counts)")
    }
  }

  @Test func `a session that looks at everything reads it all and writes nothing`() throws {
    try withFixture { fixture in
      for _ in 0..<2 { try fixture.report { _ in } }
      let own = try fixture.session()
      func version() throws -> UInt32 { try own.store.service { $0.dataVersion } }
      let before = try version()
      // Every sixtieth.
      fixture.turn.number.store(480, ordering: .relaxed)
      _ = fixture.files.takeOpened()
      try fixture.report { _ in }
      let paths = Set(try Self.others.map { try fixture.directory.manifest(of: $0) })
      #expect(paths.isSubset(of: fixture.files.takeOpened()))
      #expect(try version() == before)
    }
  }

  @Test func `where nothing else happens too`() throws {
    try withFixture { fixture in
      for place in [0, 1, 40, 77] {
        // The mark of the last session is gone with the change of the first one.
        for _ in 0..<2 { try fixture.report { _ in } }
        let path = try fixture.directory.manifest(of: Self.others[place])
        try change(path) { $0.append(contentsOf: Data(" ".utf8)) }
        _ = fixture.files.takeOpened()
        var count = 0
        while !fixture.files.takeOpened().contains(path) {
          count += 1
          try #require(count <= 9)
          try fixture.report { _ in }
          fixture.turn.number.add(1, ordering: .relaxed)
        }
      }
    }
  }

  @Test(arguments: [Value.blob([]), .blob([2, 0, 200]), .blob([9]), .string("1"), .integer(1)])
  func `what cannot be read is as good as nothing`(value: Value) throws {
    try withFixture { fixture in
      let before = try notes(fixture)
      try keep(value, fixture)
      #expect(try readCount(fixture) == Self.others.count)
      #expect(try readCount(fixture) == 0)
      let after = try notes(fixture)
      #expect(before != value && after != value)
    }
  }

  @Test func `on a new day everything is read`() throws {
    try withFixture { fixture in
      fixture.clock.advance(by: 6_500_000)
      let counts = (try readCount(fixture), try readCount(fixture))
      #expect(counts == (Self.others.count, 0))
    }
  }

  @Test func `where a change might be missed nothing is kept`() throws {
    try withFixture { fixture in
      fixture.files.isRestless.store(true, ordering: .relaxed)
      for _ in 0..<2 {
        let count = try readCount(fixture)
        #expect(count == Self.others.count)
      }
    }
  }

  @Test func `a store with few peers keeps nothing`() throws {
    try withTemporaryDirectory { directory in
      let fixture = try ManyPeersFixture(in: directory, count: 31, areSpeaking: true)
      #expect(try notes(fixture) == nil)
    }
  }
}
