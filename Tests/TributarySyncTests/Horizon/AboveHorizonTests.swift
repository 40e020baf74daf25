import Foundation
import Testing
import TributaryContainer
import TributaryCore
import TributaryFiles
import TributaryHorizon
import TributaryLog
import TributaryReplay
import TributarySimulation
import TributaryStore
import TributarySync
import TributaryTesting

/// What is written above the horizon that a store obeys, and who reads it.
struct AboveHorizonTests {
  /// Three devices that obey a horizon with one transaction of `a` and one of `b`.
  private func withAgreement(_ body: (HorizonFleet, Declaration) throws -> Void) throws {
    try withHorizonFleet { fleet in
      try fleet.write("INSERT INTO t VALUES (1, 'a')", on: "a")
      try fleet.write("INSERT INTO t VALUES (2, 'b')", on: "b")
      try fleet.meet()
      fleet.pass(days: 1)
      try fleet.meet(rounds: 4)
      try body(fleet, try #require(try fleet.record("a").state.obeyed))
    }
  }

  /// The headers of the segments in a device's directory.
  private func headers(_ name: String, _ fleet: HorizonFleet) throws -> [SegmentHeader] {
    let directory = try fleet.directory(of: name)
    let peer = fleet.peer(name)
    let segments = SegmentStore(directory, peer: peer, using: LocalFileSystem())
    let listing = ContainerScanner(directory, using: LocalFileSystem()).scan(peer)
    return try listing.segments.map { try segments.header(of: $0.name) }
  }

  private func raw(_ name: String, _ fleet: HorizonFleet) throws -> PeerManifest {
    let directory = try fleet.directory(of: name)
    let bytes = try Data(contentsOf: URL(filePath: directory.manifest(of: fleet.peer(name))))
    return try PeerManifest(decoding: Array(bytes), of: fleet.peer(name), in: directory)
  }

  @Test func `what is written above a horizon lists what came since, and all read the whole`()
    throws
  {
    try withAgreement { fleet, declaration in
      try fleet.write("INSERT INTO t VALUES (3, 'since')", on: "b")
      try fleet.meet()
      try fleet.write("INSERT INTO t VALUES (4, 'c')", on: "c")
      try fleet.meet()
      let last = try #require(try headers("c", fleet).last)
      #expect(
        last.horizon
          == SegmentHorizon(
            declaration: declaration.identifier,
            latestTime: try #require(declaration.times.values.max())))
      let since = Knowledge([
        Knowledge.Entry(peer: fleet.peer("b"), sequence: SequenceNumber(2))
      ])
      #expect(last.knowledge == since)
      #expect(last.version == FormatVersion(major: 1, minor: 1))
      for name in ["a", "b", "c"] {
        #expect(try fleet.rows(name) == ["1|a", "2|b", "3|since", "4|c"])
        let manifest = try fleet.manifest(name)
        #expect(manifest.receiptHorizon == nil)
        #expect(
          manifest.receipt == (try fleet[name].store.service { try KnowledgeTable($0).current() }))
        let peers = try fleet[name].store.service { try KnowledgeTable($0).peers() }
        #expect(
          manifest.times == Dictionary(uniqueKeysWithValues: peers.map { ($0.peer, $0.time) }))
      }
      let stated = try raw("c", fleet)
      #expect(stated.receiptHorizon == declaration.identifier)
      #expect(stated.receipt == since)
      try fleet.expectEqual()
    }
  }

  @Test func `a segment is cut where the horizon ends, and what lies beneath is written whole`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
      let store = try devices.open("store", table, horizons: .still)
      for id in 1...3 { try store.execute("INSERT INTO t VALUES (\(id), 'own')") }
      let declaration = Declaration(
        weight: 1, members: [store.store.peer],
        entries: [
          BaselineHeader.Entry(
            peer: store.store.peer, sequence: SequenceNumber(2), time: HybridTime(rawValue: 1))
        ])
      try store.store.exchange {
        try HorizonRecord(
          state: HorizonState(obeyed: declaration, promises: [], dropped: [])
        ).write(to: $0)
      }
      _ = try store.publish()
      let reader = try devices.open("reader", table)
      let identity = try store.store.identity()
      let content = try ContentDirectory(
        container: identity.container, root: ContentRoot(identity.contentRoot),
        name: ContentName(identity.contentName))
      let segments = SegmentStore(content, peer: store.store.peer, using: LocalFileSystem())
      let names = ContainerScanner(content, using: LocalFileSystem()).scan(store.store.peer)
        .segments.map(\.name)
      #expect(names.map { "\($0.first)-\($0.last)" } == ["1-2", "3-3"])
      #expect(
        try names.map { try segments.header(of: $0).horizon?.declaration }
          == [nil, declaration.identifier])
      // Nobody has brought the baseline yet.
      let report = try reader.synchronize()
      let waiting = Waiting(
        peer: store.store.peer, sequence: SequenceNumber(3),
        reason: .baseline(declaration.identifier))
      #expect(report.waiting == [waiting])
      #expect(try reader.status().waiting == [waiting])
      #expect(report.delays.map(\.waiting) == [[waiting]])
      #expect(report.delays.first?.explanation.contains(declaration.identifier.lowerHex) == true)
      #expect("\(waiting)".contains("baseline"))
      #expect(try reader.rows("SELECT id FROM t ORDER BY id") == ["1", "2"])
      #expect(
        try reader.diagnose().contains {
          "\($0)".contains(declaration.identifier.lowerHex)
        })
      try checkVerification(content, declaration, isKnown: false)
      // Only its header matters here: no store restores from it.
      let header = BaselineHeader(
        peer: store.store.peer, databaseSize: 3, contentName: content.name.text,
        entries: declaration.horizonEntries, declaration: declaration)
      let baselines = BaselineStore(content, peer: store.store.peer, using: LocalFileSystem())
      var database = MemorySource([1, 2, 3])
      _ = try baselines.publish(header, &database, level: 0)
      try checkVerification(content, declaration, isKnown: true)
      #expect(try reader.synchronize().waiting == [])
      #expect(try reader.rows("SELECT id FROM t ORDER BY id") == ["1", "2", "3"])
    }
  }

  /// Checks what `log verify` says, also of a copy that is written whole beside the segment.
  private func checkVerification(
    _ content: ContentDirectory, _ declaration: Declaration, isKnown: Bool
  ) throws {
    let logs = try LogSearch().logs(at: [content.path])
    let result = try LogVerification(logs) { Issue.record("\($0.message)") }.run()
    #expect(result.damageCount == 0)
    #expect(result.transactionCount == 3)
    #expect(result.unresolved.map(\.declaration) == (isKnown ? [] : [declaration.identifier]))
  }

  @Test func `while a member's peer json may be of a program that cannot read it, all is whole`()
    throws
  {
    try withTemporaryDirectory { directory in
      let devices = try SyncDevices(in: directory)
      let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
      let store = try devices.open("store", table, horizons: .still)
      let a = try devices.open("a", table, horizons: .off)
      try a.execute("INSERT INTO t VALUES (1, 'a')")
      try a.exchange()
      try store.exchange()
      let declaration = Declaration(
        weight: 2, members: [store.store.peer, a.store.peer],
        entries: [
          BaselineHeader.Entry(
            peer: a.store.peer, sequence: SequenceNumber(1), time: HybridTime(rawValue: 1))
        ])
      let record = HorizonRecord(
        state: HorizonState(obeyed: declaration, promises: [], dropped: []))
      try store.store.exchange { try record.write(to: $0) }
      let identity = try store.store.identity()
      let content = try ContentDirectory(
        container: identity.container, root: ContentRoot(identity.contentRoot),
        name: ContentName(identity.contentName))
      func written() throws -> [UInt64?] {
        let segments = SegmentStore(content, peer: store.store.peer, using: LocalFileSystem())
        return try ContainerScanner(content, using: LocalFileSystem()).scan(store.store.peer)
          .segments.map { try segments.header(of: $0.name).horizon?.declaration }
      }
      func stated() throws -> UInt64? {
        let bytes = try Data(contentsOf: URL(filePath: content.manifest(of: store.store.peer)))
        return try PeerManifest(decoding: Array(bytes), of: store.store.peer, in: content)
          .receiptHorizon
      }
      try store.execute("INSERT INTO t VALUES (2, 'whole')")
      try store.exchange()
      #expect(try written() == [nil])
      #expect(try stated() == nil)
      // Whoever remembers a promise writes 1.2.
      try a.store.exchange { try record.write(to: $0) }
      try a.exchange()
      try store.execute("INSERT INTO t VALUES (3, 'above')")
      try store.exchange()
      #expect(try written() == [nil, declaration.identifier])
      #expect(try stated() == declaration.identifier)
      try a.exchange()
      #expect(try a.rows("SELECT v FROM t ORDER BY id") == ["a", "whole", "above"])
    }
  }
}

extension HorizonPolicy {
  /// Obeys, and proposes nothing.
  fileprivate static var still: HorizonPolicy {
    var policy = HorizonPolicy()
    policy.isOn = true
    policy.minimumAge = 1 << 40
    return policy
  }
}
