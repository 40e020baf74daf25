import Testing
import TributaryCore
import TributarySync

struct HorizonTests {
  private static let peers = (1...4).map { PeerIdentity(high: 0, low: $0) }

  /// What each peer has of the transactions of the first ones, by position.
  private func horizon(_ rows: [[UInt64]]) -> (common: [UInt64], holders: [Int]) {
    let peers = Self.peers
    let members = rows.enumerated().map { position, row in
      (
        peers[position],
        Knowledge(
          row.enumerated().map {
            Knowledge.Entry(peer: peers[$0.offset], sequence: SequenceNumber($0.element))
          })
      )
    }
    let horizon = Horizon(Dictionary(uniqueKeysWithValues: members))
    return (
      peers.prefix(rows.first?.count ?? 0).map { horizon.common[$0].rawValue },
      rows.indices.filter { horizon.holders.contains(peers[$0]) }
    )
  }

  @Test func `it is what all have`() {
    #expect(horizon([[5, 2], [4, 3], [5, 3]]).common == [4, 2])
    #expect(horizon([[5, 0], [5, 7]]).common == [5, 0])
    #expect(horizon([[5, 7]]).common == [5, 7])
    #expect(horizon([]).common == [])
  }

  @Test func `who has least of something holds it back`() {
    #expect(horizon([[5, 2], [4, 2], [5, 2]]).holders == [1])
    #expect(horizon([[5, 2], [4, 3], [5, 3]]).holders == [0, 1])
    #expect(horizon([[5], [5], [0]]).holders == [2])
    #expect(horizon([[5], [3], [0]]).holders == [2])
  }

  @Test func `of several that are behind, each holds it back`() {
    #expect(horizon([[5], [4], [4]]).holders == [1, 2])
    #expect(horizon([[5], [0], [0]]).holders == [1, 2])
    #expect(horizon([[5, 0], [0, 5], [0, 0]]).holders == [0, 1, 2])
  }

  @Test func `nobody holds it back where all have the same`() {
    #expect(horizon([[5, 2], [5, 2]]).holders == [])
    #expect(horizon([[5]]).holders == [])
  }

  @Test(arguments: 0..<200)
  func `without all holders, the others have all that they have in common`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let rows = (0..<4).map { _ in (0..<3).map { _ in UInt64.random(in: 0...2, using: &random) } }
    let whole = horizon(rows)
    for index in rows.indices {
      let isBehind = (0..<3).contains { author in
        rows[index][author] == whole.common[author]
          && rows.contains { $0[author] > whole.common[author] }
      }
      #expect(whole.holders.contains(index) == isBehind, "\(rows)")
    }
  }
}

/// *SplitMix64*
private struct RepeatableRandomness: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed &+= 0x9e37_79b9_7f4a_7c15
    var z = seed
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
