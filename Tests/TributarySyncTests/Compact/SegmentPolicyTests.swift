import Testing
import TributaryCore
import TributarySync
import TributaryTesting

/// Which segments become one: values in, values out.
struct SegmentPolicyTests {
  /// A log whose segments hold so much, as it is after all that is due was compacted.
  private struct Log {
    var policy = SegmentPolicy()
    var pieces: [SegmentPolicy.Piece] = []
    /// How often each transaction was written again.
    var writes: [Int] = []

    mutating func publish(_ payload: Int64, compressed bytes: UInt64? = nil) {
      let number = SequenceNumber(UInt64(writes.count + 1))
      pieces.append(
        SegmentPolicy.Piece(
          number, number, payload: payload, bytes: bytes ?? UInt64(payload / 2), level: 0))
      writes.append(0)
    }

    mutating func step() -> Bool {
      guard let range = policy.next(among: pieces) else { return false }
      let old = pieces[range]
      for sequence in old.first!.first.rawValue...old.last!.last.rawValue {
        writes[Int(sequence) - 1] += 1
      }
      let payload = old.reduce(0) { $0 + $1.payload }
      let compacted = SegmentPolicy.Piece(
        old.first!.first, old.last!.last, payload: payload, bytes: UInt64(payload / 3),
        level: policy.level)
      pieces.replaceSubrange(range, with: [compacted])
      return true
    }

    mutating func compact() { while step() {} }
  }

  @Test func `nothing is compacted before there are enough of about one size`() {
    var log = Log()
    for _ in 1...7 {
      log.publish(100)
      #expect(log.policy.next(among: log.pieces) == nil)
    }
    log.publish(100)
    #expect(log.policy.next(among: log.pieces) == 0..<8)
  }

  @Test func `a large segment is not written again for the sake of small ones`() {
    var log = Log()
    log.publish(1_000_000)
    for _ in 1...7 { log.publish(100) }
    #expect(log.policy.next(among: log.pieces) == nil)
    log.publish(100)
    #expect(log.policy.next(among: log.pieces) == 1..<9)
  }

  @Test func `many that have gathered become one at once`() {
    var log = Log()
    for _ in 1...5000 { log.publish(100) }
    #expect(log.policy.next(among: log.pieces) == 0..<5000)
  }

  @Test func `a compacted segment holds no more than the limit`() {
    var log = Log()
    for _ in 1...40 { log.publish(1_000_000) }
    log.compact()
    #expect(log.pieces.allSatisfy { $0.payload <= log.policy.byteLimit })
    #expect(log.pieces.map(\.payload) == Array(repeating: 8_000_000, count: 5))
  }

  @Test func `a large one is compressed once, unless that is of no use or takes too long`() {
    var log = Log()
    log.publish(7_000_000)
    #expect(log.policy.next(among: log.pieces) == 0..<1)
    log.compact()
    #expect(log.pieces.map(\.level) == [log.policy.level])
    log = Log()
    log.publish(7_000_000, compressed: 6_900_000)
    #expect(log.policy.next(among: log.pieces) == nil)
    log = Log()
    log.publish(1_000_000_000)
    #expect(log.policy.next(among: log.pieces) == nil)
  }

  @Test func `segments with a gap between them, or that overlap, are not compacted`() {
    var log = Log()
    for _ in 1...15 { log.publish(100) }
    var apart = log.pieces
    apart.remove(at: 7)
    #expect(log.policy.next(among: apart) == nil)
    var overlapping = log.pieces
    overlapping[6].last = SequenceNumber(8)
    #expect(log.policy.next(among: overlapping) == 7..<15)
  }

  @Test func `whatever is written is written again a few times only, and leaves few files`() throws
  {
    try withSeeds(0..<20, filter: "SegmentPolicyTests") { random in
      var log = Log()
      log.policy.fanIn = random.pick([2, 4, 8])
      for _ in 1...20_000 {
        log.publish(Int64(random.pick([50, 100, 200, 1000, random.number(33...100_000)])))
        if random.once(in: 3) { log.compact() }
      }
      log.compact()
      // From 33 bytes up to the limit.
      let tiers = { (base: Int) -> Int in
        var tiers = 0
        var size = 33
        while size < 8 << 20 {
          tiers += 1
          size *= base
        }
        return tiers
      }(log.policy.fanIn)
      #expect(log.writes.max()! <= tiers + 1)
      let payload = log.pieces.reduce(0) { $0 + $1.payload }
      #expect(log.pieces.count < Int(payload / (2 << 20)) + 8 * tiers)
      #expect(log.pieces.first?.first == SequenceNumber(1))
      for (one, next) in zip(log.pieces, log.pieces.dropFirst()) {
        #expect(one.last.next == next.first)
      }
    }
  }
}
