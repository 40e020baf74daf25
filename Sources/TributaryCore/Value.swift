/// A value as SQLite stores it. Text and blobs are bytes: NULs and invalid UTF-8 are preserved.
public enum Value: Hashable, Sendable {
  /// NULL.
  case null
  /// An integer of up to 64 bits.
  case integer(Int64)
  /// Never NaN: SQLite stores NaN as NULL.
  case real(Double)
  /// The bytes should be UTF-8 by SQLite's convention, but may be anything.
  case text([UInt8])
  /// Bytes.
  case blob([UInt8])

  /// Makes a text value from a string.
  public static func string(_ string: String) -> Value { .text(Array(string.utf8)) }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
}
