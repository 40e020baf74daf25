import TributaryCore

/// The transactions of one store that this process has made. There are few ranges, since transactions follow
/// one another.
struct SequenceRanges {
  private var ranges: [ClosedRange<UInt64>] = []

  /// Older ranges are forgotten.
  private static let limit = 1000

  mutating func insert(_ sequence: SequenceNumber) {
    let number = sequence.rawValue
    if let last = ranges.last, last.upperBound + 1 == number {
      ranges[ranges.count - 1] = last.lowerBound...number
      return
    }
    if ranges.count >= 2 * Self.limit { ranges.removeFirst(Self.limit) }
    ranges.append(number...number)
  }

  /// Removes the last one that was inserted.
  mutating func removeLast(_ sequence: SequenceNumber) {
    guard let last = ranges.last, last.upperBound == sequence.rawValue else { return }
    ranges.removeLast()
    if last.lowerBound < last.upperBound {
      ranges.append(last.lowerBound...(last.upperBound - 1))
    }
  }

  func contains(_ sequence: SequenceNumber) -> Bool {
    ranges.last { $0.lowerBound <= sequence.rawValue }?.contains(sequence.rawValue) ?? false
  }

  mutating func removeAll() { ranges.removeAll() }
}
