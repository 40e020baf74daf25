/// The reading of a hybrid logical clock: 48 bits of milliseconds since 1970, 16 bits of counter.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014.
public struct HybridTime: RawRepresentable, Hashable, Sendable {
  /// Milliseconds in the upper 48 bits, the counter in the lower 16.
  public var rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Makes a time from its two parts.
  ///
  /// - Precondition: `milliseconds` is below 2^48.
  public init(milliseconds: UInt64, counter: UInt16) {
    precondition(milliseconds <= Self.maximumMilliseconds)
    rawValue = milliseconds << 16 | UInt64(counter)
  }

  /// The last moment that can be represented: the year 10889.
  public static let maximumMilliseconds: UInt64 = 1 << 48 - 1

  /// A time below that of every real write; adopted rows have it.
  public static let zero = HybridTime(rawValue: 0)

  /// Milliseconds since 1970-01-01 00:00 UTC.
  public var milliseconds: UInt64 { rawValue >> 16 }

  /// The order of events within one millisecond.
  public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

extension HybridTime: Comparable {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
