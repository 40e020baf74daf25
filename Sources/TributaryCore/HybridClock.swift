/// A hybrid logical clock, as a value: the caller provides the physical time.
package struct HybridClock: Hashable, Sendable {
  /// The largest time read or observed so far.
  package private(set) var last: HybridTime

  package init(last: HybridTime = .zero) { self.last = last }

  /// Records a time seen elsewhere.
  package mutating func observe(_ time: HybridTime) { last = max(last, time) }

  /// Advances the clock and returns the time of a new event: later than everything read or observed
  /// so far, and not before `milliseconds`.
  ///
  /// Two copies of one store that do not know of each other continue from the same time. If their
  /// clocks agree, or both lag behind, they would give different events equal times. The randomness
  /// makes them differ: the chance of a collision is one in a thousand for the first event of a
  /// millisecond, one in 64 for another one while their times are still equal, and one in four
  /// thousand when the clocks lag behind.
  ///
  /// - Parameters:
  ///   - milliseconds: the physical clock, since 1970; values that need more than 48 bits count as
  ///     the largest possible.
  ///   - randomness: a random number, a new one for each call.
  /// - Returns: `nil` if the clock has run out of times, which only a forged or broken stamp can
  ///   cause.
  package mutating func tick(milliseconds: UInt64, randomness: UInt64) -> HybridTime? {
    let now = min(milliseconds, HybridTime.maximumMilliseconds)
    if now > last.milliseconds {
      last = HybridTime(milliseconds: now, counter: UInt16(randomness % 1024))
    } else {
      // Small enough for more than a thousand events within a millisecond.
      let step = 1 + randomness % (now == last.milliseconds ? 64 : 4096)
      guard last.rawValue < .max else { return nil }
      // A full counter carries into the milliseconds.
      let (sum, overflows) = last.rawValue.addingReportingOverflow(step)
      last = HybridTime(rawValue: overflows ? last.rawValue + 1 : sum)
    }
    return last
  }
}
