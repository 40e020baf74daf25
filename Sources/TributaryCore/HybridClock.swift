/// A hybrid logical clock, as a value: the caller brings the physical time.
public struct HybridClock: Hashable, Sendable {
  /// The largest time read or observed so far.
  public private(set) var last: HybridTime

  public init(last: HybridTime = .zero) { self.last = last }

  /// Takes notice of a time seen elsewhere.
  public mutating func observe(_ time: HybridTime) { last = max(last, time) }

  /// The time of a new event: after everything read or observed, and not before `milliseconds`.
  ///
  /// Two copies of one store that do not know of each other go on from one time, and where their
  /// clocks agree, or are both behind, would give different events equal times. Chance keeps these
  /// apart: one in a thousand comes through within one millisecond, one in four thousand behind.
  ///
  /// - Parameters:
  ///   - milliseconds: the physical clock, since 1970; larger values than 48 bits hold count as the
  ///     largest.
  ///   - randomness: any number, another one each time.
  /// - Returns: `nil` when the clock has come to its end, which only a forged or broken stamp
  ///   brings about.
  public mutating func tick(milliseconds: UInt64, randomness: UInt64) -> HybridTime? {
    let now = min(milliseconds, HybridTime.maximumMilliseconds)
    if now > last.milliseconds {
      last = HybridTime(milliseconds: now, counter: UInt16(randomness % 1024))
    } else {
      // Small enough within a millisecond for a thousand events and more.
      let step = 1 + randomness % (now == last.milliseconds ? 64 : 4096)
      guard last.rawValue < .max else { return nil }
      // A full counter carries into the milliseconds.
      let (sum, overflows) = last.rawValue.addingReportingOverflow(step)
      last = HybridTime(rawValue: overflows ? last.rawValue + 1 : sum)
    }
    return last
  }
}
