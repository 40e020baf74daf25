import Foundation
import Testing
import TributaryCore
import TributaryLog
import TributarySQLite
import TributaryStore
import TributaryTesting

struct VersionTests {
  private static let script = "CREATE TABLE t (k INTEGER PRIMARY KEY, a)"

  private func basis(_ store: Recorder) throws -> Knowledge? {
    let last = try store.last()
    return try store.store.service {
      try Outbox($0).records(from: last, to: last).first?.basis
    }
  }

  @Test func `a write carries the version that it is based on, unless it is the present one`()
    throws
  {
    try withStore(Self.script) { store in
      let me = try store.store.identity().peer
      let first = try store.store.read { try $0.version }
      #expect(first.knowledge == Knowledge())
      try store.store.write { try $0.execute("INSERT INTO t VALUES (1, 'a')") }
      #expect(try basis(store) == nil)
      try store.store.write(basedOn: first) { try $0.execute("UPDATE t SET a = 'b'") }
      #expect(try basis(store) == Knowledge())
      let second = try store.store.read { try $0.version }
      #expect(second.knowledge[me] == SequenceNumber(2))
      try store.store.write(basedOn: second) { try $0.execute("UPDATE t SET a = 'c'") }
      #expect(try basis(store) == nil)
      let seen = try store.store.write(basedOn: second) { database in
        try database.execute("UPDATE t SET a = 'd'")
        return try database.version
      }
      // Not with what it has written itself.
      #expect(seen.knowledge[me] == SequenceNumber(3))
      #expect(try basis(store) == second.knowledge)
      #expect(
        try store.rows("SELECT sequence FROM tributary_outbox WHERE basis IS NOT NULL") == [
          "2", "4",
        ])
    }
  }

  @Test func `a version knows what was imported, as the read saw it`() throws {
    try withStore(Self.script) { store in
      let other = PeerIdentity(high: 7, low: 7)
      let (before, after) = try store.store.read { database in
        let before = try database.version
        try store.store.service {
          try KnowledgeTable($0).advance(
            other, to: SequenceNumber(5), time: .zero, after: .zero)
        }
        return (before, try database.version)
      }
      #expect(before == after)
      #expect(before.knowledge[other] == .zero)
      #expect(try store.store.read { try $0.version }.knowledge[other] == SequenceNumber(5))
    }
  }

  @Test func `versions of other stores and of the future are refused`() throws {
    try withStore(Self.script) { store in
      let me = try store.store.identity().peer
      for text in [
        "\(PeerIdentity(high: 7, low: 7))", "\(me)-\(me).1",
        "\(me)-\(PeerIdentity(high: 7, low: 7)).1",
      ] {
        let version = try #require(Version(text))
        do {
          try store.store.write(basedOn: version) { try $0.execute("INSERT INTO t VALUES (1, 1)") }
          Issue.record("\(text) must be refused")
        } catch let error as StoreError {
          #expect(error.code == .version)
        }
      }
      #expect(try store.rows("SELECT * FROM t").isEmpty)
    }
  }

  @Test func `a version survives as text and as JSON`() throws {
    let peers = [PeerIdentity(high: 1, low: 2), PeerIdentity(high: .max, low: 0)]
    for text in [
      "\(peers[0])", "\(peers[1])-\(peers[0]).1",
      "\(peers[0])-\(peers[0]).9223372036854775807-\(peers[1]).3",
    ] {
      let version = try #require(Version(text))
      #expect(version.description == text)
      let data = try JSONEncoder().encode([version])
      #expect(try JSONDecoder().decode([Version].self, from: data) == [version])
    }
    for text in [
      "", "-", "\(peers[0])-", "\(peers[0])-\(peers[0])", "\(peers[0])-\(peers[0]).0",
      "\(peers[0])-\(peers[0]).01", "\(peers[0])-\(peers[1]).1-\(peers[0]).1",
      "\(peers[0])-\(peers[0]).1-\(peers[0]).2", "\(peers[0])-\(peers[0]).9223372036854775808",
      "\(peers[0])-\(peers[0]).1.1", "\(peers[0]) ",
    ] {
      #expect(Version(text) == nil, "\(text)")
    }
  }

  @Test func `a script can be based on a version when it is one transaction`() throws {
    try withStore(Self.script) { store in
      let version = try store.store.read { try $0.version }
      try store.store.run(script: "INSERT INTO t VALUES (1, 1)") { _ in }
      try store.store.run(script: "UPDATE t SET a = 2", basedOn: version) { _ in }
      #expect(try basis(store) == version.knowledge)
      #expect(throws: StoreError.self) {
        try store.store.run(script: "BEGIN; UPDATE t SET a = 3; COMMIT", basedOn: version) { _ in }
      }
      #expect(try store.rows("SELECT a FROM t") == ["2"])
    }
  }
}
