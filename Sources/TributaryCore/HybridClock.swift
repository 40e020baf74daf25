/// A hybrid logical clock, as a value: the caller brings the physical time.
public struct HybridClock: Hashable, Sendable {
  /// The largest time read or observed so far.
  public private(set) var last: HybridTime

  public init(last: HybridTime = .zero) { self.last = last }

  /// Takes notice of a time seen elsewhere.
  public mutating func observe(_ time: HybridTime) { last = max(last, time) }

  /// The time of a new event: after everything read or observed, and not before `milliseconds`.
  ///
  /// - Parameter milliseconds: the physical clock, since 1970; larger values than 48 bits hold
  ///   count as the largest.
  /// - Returns: `nil` when the clock has come to its end, which only a forged or broken stamp
  ///   brings about.
  public mutating func tick(milliseconds: UInt64) -> HybridTime? {
    let now = HybridTime(
      milliseconds: min(milliseconds, HybridTime.maximumMilliseconds), counter: 0)
    if now > last {
      last = now
    } else if last.rawValue < .max {
      // A full counter carries into the milliseconds.
      last = HybridTime(rawValue: last.rawValue + 1)
    } else {
      return nil
    }
    return last
  }
}
