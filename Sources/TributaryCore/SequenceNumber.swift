/// A peer's own transaction number. The first is 1, and there are no gaps. 0 means before the
/// first.
///
/// It is at most 2^63 − 1, so it is also a valid SQLite integer.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt64

  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// Makes the number of a transaction; the first one of a store is 1.
  @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// The number before the first transaction.
  public static let zero = SequenceNumber(0)

  /// The largest number that can be stored.
  public static let max = SequenceNumber(UInt64(Int64.max))

  /// The number of the following transaction.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue + 1) }
}

extension SequenceNumber: Comparable {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension SequenceNumber: CustomStringConvertible {
  public var description: String { String(rawValue) }
}
