import Testing
import TributaryCore
import TributaryReplay
import TributaryTesting

struct StampOrderTests {
  /// The stamps of some streams, each in ascending order, all different.
  private func streams(_ random: inout SeededGenerator) -> [[Stamp]] {
    (0..<random.number(0...9)).map { stream in
      (0..<random.number(0...12)).map { _ in
        HybridTime(milliseconds: UInt64(random.number(1...60)), counter: 0)
      }.sorted().map { Stamp(time: $0, peer: PeerIdentity(high: UInt64(stream), low: 1)) }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `streams come in the order of their stamps, whatever leaves and comes back`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let streams = streams(&random)
    var next = Array(repeating: 0, count: streams.count)
    var hidden: Set<Int> = []
    var order = StampOrder()
    func stamp(_ position: Int) -> Stamp? {
      guard !hidden.contains(position), next[position] < streams[position].count else { return nil }
      return streams[position][next[position]]
    }
    func expected() -> Stamp? { streams.indices.compactMap(stamp).min() }
    for _ in 0..<2000 {
      let position = order.earliest(of: streams.count, stamp: stamp)
      #expect(position.flatMap(stamp) == expected())
      guard let position else {
        if hidden.isEmpty { break }
        hidden = []
        order.forget()
        continue
      }
      switch random.number(0...9) {
      case 0: hidden.insert(position)
      case 1:
        // Any stream may be left out without a word; one that counts again must be told of.
        if let other = streams.indices.randomElement(using: &random) { hidden.insert(other) }
      case 2:
        hidden = []
        order.forget()
      default: next[position] += 1
      }
    }
    hidden = []
    #expect(streams.indices.compactMap(stamp).isEmpty)
  }
}
