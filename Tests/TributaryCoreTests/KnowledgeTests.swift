import Testing
import TributaryCore

struct KnowledgeTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `unions obey the laws of a join`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let (a, b, c) = (random.knowledge(), random.knowledge(), random.knowledge())
    #expect(union(a, b) == union(b, a))
    #expect(union(union(a, b), c) == union(a, union(b, c)))
    #expect(union(a, a) == a)
    #expect(union(a, Knowledge()) == a)
    #expect(union(a, b).isSuperset(of: a))
    #expect(union(a, b).isSuperset(of: b))
    #expect((union(a, b) == a) == a.isSuperset(of: b))
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `knowing more is a partial order`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let (a, b, c) = (random.knowledge(), random.knowledge(), random.knowledge())
    #expect(a.isSuperset(of: a))
    #expect((a.isSuperset(of: b) && b.isSuperset(of: a)) == (a == b))
    if a.isSuperset(of: b), b.isSuperset(of: c) { #expect(a.isSuperset(of: c)) }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `the first missing entry is there exactly when something is missing`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let (a, b) = (random.knowledge(), random.knowledge())
    let missing = a.firstMissing(from: b)
    #expect((missing == nil) == a.isSuperset(of: b))
    if let missing {
      #expect(b.entries.contains(missing))
      #expect(a[missing.peer] < missing.sequence)
      for entry in b.entries where entry.peer < missing.peer {
        #expect(a[entry.peer] >= entry.sequence)
      }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `entries agree with a dictionary of the highest sequences`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    var knowledge = Knowledge()
    var expected: [PeerIdentity: SequenceNumber] = [:]
    for _ in 0..<60 {
      let peer = PeerIdentity(high: UInt64.random(in: 0...9, using: &random), low: 1)
      let sequence = SequenceNumber(UInt64.random(in: 0...2, using: &random))
      knowledge[peer] = sequence
      expected[peer] = sequence == .zero ? nil : sequence
      let sorted = expected.sorted { $0.key < $1.key }
      #expect(knowledge.entries == sorted.map { Knowledge.Entry(peer: $0.key, sequence: $0.value) })
      #expect(knowledge.isEmpty == expected.isEmpty)
      #expect(Knowledge(knowledge.entries.shuffled(using: &random)) == knowledge)
    }
  }

  @Test func `several entries of one peer count as the highest`() {
    let peer = PeerIdentity(high: 1, low: 2)
    let knowledge = Knowledge([3, 5, 0, 4].map { .init(peer: peer, sequence: SequenceNumber($0)) })
    #expect(knowledge.entries == [.init(peer: peer, sequence: SequenceNumber(5))])
    #expect(knowledge[PeerIdentity(high: 1, low: 3)] == .zero)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `what shares entries is like what has all of its own`(seed: UInt64) {
    var random = RepeatableRandomness(seed: seed)
    let plain = random.knowledge()
    let shared = plain.shared()
    #expect(shared == plain)
    // Twins in pairs: one shares, one does not.
    var twins = [(shared, plain), (shared, plain), (random.knowledge().shared(), Knowledge())]
    twins[2].1 = Knowledge(twins[2].0.entries)
    for _ in 0..<12 {
      let index = Int.random(in: 0..<twins.count, using: &random)
      let peer = PeerIdentity(high: UInt64.random(in: 0...5, using: &random), low: 1)
      let sequence = SequenceNumber(UInt64.random(in: 0...6, using: &random))
      if Bool.random(using: &random) {
        twins[index].0[peer] = sequence
        twins[index].1[peer] = sequence
      } else {
        let other = Int.random(in: 0..<twins.count, using: &random)
        twins[index].0.formUnion(twins[other].0)
        twins[index].1.formUnion(twins[other].1)
      }
      for (a, b) in twins {
        #expect(a.entries == b.entries)
        #expect(a == b && a.hashValue == b.hashValue)
        #expect(a.count == b.entries.count && a.isEmpty == b.isEmpty)
        #expect(a[peer] == b[peer])
        #expect(a.shared().entries == b.entries)
        #expect(a.total == b.total && a.total == b.entries.reduce(0) { $0 + $1.sequence.rawValue })
        for (c, d) in twins {
          #expect((a == c) == (b == d) && (a == d) == (b == d))
          #expect(a.exceeding(c) == b.exceeding(d) && a.exceeding(d) == b.exceeding(d))
          #expect(a.risen(above: c) == b.risen(above: d))
          #expect(a.isSuperset(of: c) == b.isSuperset(of: d))
          #expect(a.firstMissing(from: c) == b.firstMissing(from: d))
          #expect(a.intersection(c) == b.intersection(d))
        }
      }
    }
    #expect(shared == plain)
  }

  @Test func `more transactions than there are numbers count as the largest number`() {
    let first = PeerIdentity(high: 1, low: 1)
    let second = PeerIdentity(high: 2, low: 1)
    let third = PeerIdentity(high: 3, low: 1)
    var two = Knowledge([
      .init(peer: first, sequence: .max), .init(peer: second, sequence: .max),
    ])
    #expect(two.total == .max - 1 && two.shared().total == .max - 1)
    two[third] = SequenceNumber(2)
    var shared = two.shared()
    #expect(two.total == .max && shared.total == .max)
    shared[first] = .zero
    #expect(shared.total == UInt64(Int64.max) + 2)
  }

  private func union(_ a: Knowledge, _ b: Knowledge) -> Knowledge {
    var result = a
    result.formUnion(b)
    return result
  }
}
