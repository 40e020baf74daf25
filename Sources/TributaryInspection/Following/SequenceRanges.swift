package import TributaryCore

/// A set of sequences, most of which are consecutive.
///
/// - Complexity: O(number of gaps) for every operation.
package struct SequenceRanges: Equatable, Sendable {
  /// The ranges, ascending, with gaps between them.
  package private(set) var ranges: [ClosedRange<SequenceNumber>] = []

  /// The empty set.
  package init() {}

  package func contains(_ sequence: SequenceNumber) -> Bool {
    ranges.last { $0.lowerBound <= sequence }?.contains(sequence) ?? false
  }

  /// Returns the lowest sequence of a range that is not in the set.
  package func firstMissing(in range: ClosedRange<SequenceNumber>) -> SequenceNumber? {
    guard let around = ranges.last(where: { $0.lowerBound <= range.lowerBound }),
      around.contains(range.lowerBound)
    else { return range.lowerBound }
    return around.upperBound < range.upperBound ? around.upperBound.next : nil
  }

  package mutating func insert(_ range: ClosedRange<SequenceNumber>) {
    // The most frequent case: the next one.
    if let last = ranges.last,
      last.contains(range.lowerBound) || last.upperBound.next == range.lowerBound
    {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      return
    }
    var joined = range
    var others: [ClosedRange<SequenceNumber>] = []
    for other in ranges {
      if other.upperBound.next < joined.lowerBound || joined.upperBound.next < other.lowerBound {
        others.append(other)
      } else {
        joined =
          min(joined.lowerBound, other.lowerBound)...max(joined.upperBound, other.upperBound)
      }
    }
    let place = others.firstIndex { $0.lowerBound > joined.lowerBound } ?? others.endIndex
    others.insert(joined, at: place)
    ranges = others
  }

  package mutating func insert(_ sequence: SequenceNumber) { insert(sequence...sequence) }

  /// Removes everything from a sequence on.
  package mutating func remove(from sequence: SequenceNumber) {
    ranges = ranges.compactMap { range in
      if range.upperBound < sequence { return range }
      guard range.lowerBound < sequence else { return nil }
      return range.lowerBound...SequenceNumber(sequence.rawValue - 1)
    }
  }
}
