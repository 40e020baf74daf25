import Testing
import TributaryCore

struct HybridTimeTests {
  @Test(
    arguments: [0, 1, 1_700_000_000_000, HybridTime.maximumMilliseconds], [0, 1, .max] as [UInt16])
  func `milliseconds and counter are read as they were written`(
    milliseconds: UInt64, counter: UInt16
  ) {
    let time = HybridTime(milliseconds: milliseconds, counter: counter)
    #expect(time.milliseconds == milliseconds)
    #expect(time.counter == counter)
    #expect(HybridTime(rawValue: time.rawValue) == time)
  }

  @Test func `milliseconds weigh more than any counter`() {
    let early = HybridTime(milliseconds: 1, counter: .max)
    #expect(early < HybridTime(milliseconds: 2, counter: 0))
    #expect(HybridTime.zero < HybridTime(milliseconds: 0, counter: 1))
  }

  @Test func `the last moment fills 48 bits`() {
    #expect(HybridTime.maximumMilliseconds == 0xFFFF_FFFF_FFFF)
    let last = HybridTime(milliseconds: HybridTime.maximumMilliseconds, counter: .max)
    #expect(last.rawValue == .max)
  }

  @Test func `stamps are ordered by time and then by peer`() {
    let low = PeerIdentity(high: 0, low: .max)
    let high = PeerIdentity(high: 1, low: 0)
    let early = HybridTime(milliseconds: 1, counter: 0)
    let late = HybridTime(milliseconds: 1, counter: 1)
    let ascending = [
      Stamp(time: early, peer: low), Stamp(time: early, peer: high),
      Stamp(time: late, peer: low), Stamp(time: late, peer: high),
    ]
    #expect(ascending.reversed().sorted() == ascending)
    for (index, stamp) in ascending.enumerated() {
      for (other, later) in ascending.enumerated() { #expect((stamp < later) == (index < other)) }
    }
  }
}
