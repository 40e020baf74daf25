import Testing
import TributaryCore
import TributaryStore

/// What a store knew when of other peers.
struct KnowledgeTableTests {
  /// What own transactions knew, by their sequence.
  private typealias Steps = [(after: UInt64, sequence: UInt64)]

  private let former = PeerIdentity(high: 7, low: 7)
  private let new = PeerIdentity(high: 7, low: 8)

  /// Renames what is known of the former identity beyond its transaction 2, and returns what own transactions knew of the
  /// new one then, from 1 on.
  private func renamed(_ formerly: Steps, _ before: Steps) throws -> (known: [UInt64], time: UInt64)
  {
    var result: (known: [UInt64], time: UInt64) = ([], 0)
    try withStore("CREATE TABLE t (id TEXT PRIMARY KEY)") { store in
      result = try store.store.service { connection in
        let table = KnowledgeTable(connection)
        for (peer, steps) in [(former, formerly), (new, before)] {
          for step in steps {
            try table.advance(
              peer, to: SequenceNumber(step.sequence), time: HybridTime(rawValue: step.sequence),
              after: SequenceNumber(step.after))
          }
        }
        try table.rename(Renaming(former: former, last: SequenceNumber(2), new: new))
        try table.setBack(former, to: SequenceNumber(2), time: HybridTime(rawValue: 2))
        try table.checkConsistent()
        let known = try (1...5).map { try table.at(SequenceNumber($0))[new].rawValue }
        let time = try table.peers().first { $0.peer == new }?.time.rawValue
        return (known, time ?? 0)
      }
    }
    return result
  }

  @Test func `what is known of a peer that has another name now is known at the same places`()
    throws
  {
    let (known, time) = try renamed([(0, 1), (1, 4), (3, 6)], [])
    #expect(known == [0, 2, 2, 4, 4])
    #expect(time == 6)
  }

  @Test func `what is known by both names is known from where either is`() throws {
    var (known, time) = try renamed([(0, 4)], [(1, 3)])
    #expect(known == [2, 3, 3, 3, 3])
    #expect(time == 3)
    (known, time) = try renamed([(1, 4), (3, 7)], [(0, 1), (2, 4)])
    #expect(known == [1, 2, 4, 5, 5])
    #expect(time == 7)
    (known, time) = try renamed([(2, 4)], [(0, 3)])
    #expect(known == [3, 3, 3, 3, 3])
    #expect(time == 3)
    (known, time) = try renamed([(1, 4)], [(1, 3)])
    #expect(known == [0, 3, 3, 3, 3])
    #expect(time == 3)
  }

  /// What to change in a store that knows peers by the numbers 3, 4 and 7, and whether the result is consistent.
  private static let changes: [(sql: String, isConsistent: Bool)] = [
    ("", true),
    ("DELETE FROM tributary_knowledge; DELETE FROM tributary_peer", true),
    (
      "DELETE FROM tributary_knowledge WHERE peer = 4; DELETE FROM tributary_peer WHERE id = 4",
      true
    ),
    ("UPDATE tributary_peer SET sequence = 1 WHERE id = 7", false),
    ("UPDATE tributary_knowledge SET sequence = 9 WHERE peer = 3 AND after = 5", false),
    ("UPDATE tributary_knowledge SET sequence = 1 WHERE peer = 3 AND after = 0", true),
    ("DELETE FROM tributary_knowledge WHERE peer = 4", false),
    ("DELETE FROM tributary_peer", false),
  ]

  @Test func `what contradicts itself is found`() throws {
    // Numbers of no peer, before, between and after those of the peers.
    let orphans = [-5, 0, 2, 5, 6, 8, 1 << 40].map {
      ("INSERT INTO tributary_knowledge (peer, after, sequence) VALUES (\($0), 0, 1)", false)
    }
    for (sql, isConsistent) in Self.changes + orphans {
      try withStore("CREATE TABLE t (id TEXT PRIMARY KEY)") { store in
        try store.store.service { connection in
          for number in [3, 4, 7] {
            try connection.execute(
              """
              INSERT INTO tributary_peer VALUES (\(number), randomblob(16), 5, 5);
              INSERT INTO tributary_knowledge (peer, after, sequence)
              VALUES (\(number), 0, 2), (\(number), 5, 5)
              """)
          }
          let table = KnowledgeTable(connection)
          try table.checkConsistent()
          try connection.execute("PRAGMA foreign_keys = OFF; \(sql)")
          var error: StoreError?
          do { try table.checkConsistent() } catch let found as StoreError { error = found }
          #expect(error?.code == (isConsistent ? nil : .damaged), "\(sql)")
        }
      }
    }
  }
}
