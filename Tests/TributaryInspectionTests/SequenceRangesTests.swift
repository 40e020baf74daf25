import Testing
import TributaryCore
import TributaryInspection
import TributaryTesting

struct SequenceRangesTests {
  @Test func `the ranges are those of a set, however they were added and removed`() throws {
    try withSeeds(0..<200) { random in
      var ranges = SequenceRanges()
      var set: Set<UInt64> = []
      for _ in 0..<20 {
        let first = random.number(1...40)
        if random.once(in: 6) {
          ranges.remove(from: SequenceNumber(UInt64(first)))
          set = set.filter { $0 < first }
        } else {
          let last = random.number(first...min(40, first + 6))
          ranges.insert(SequenceNumber(UInt64(first))...SequenceNumber(UInt64(last)))
          set.formUnion(UInt64(first)...UInt64(last))
        }
        try #require(
          ranges.ranges.flatMap { $0.lowerBound.rawValue...$0.upperBound.rawValue } == set.sorted())
        try #require(
          zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy {
            $0.upperBound.next < $1.lowerBound
          })
        for number in 1...42 as ClosedRange<UInt64> {
          let sequence = SequenceNumber(number)
          try #require(ranges.contains(sequence) == set.contains(number))
          let missing = (number...42).first { !set.contains($0) }
          try #require(
            ranges.firstMissing(in: sequence...SequenceNumber(42))
              == missing.map { SequenceNumber($0) })
        }
      }
    }
  }
}
