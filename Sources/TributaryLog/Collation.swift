/// How the values of a key column are compared; the raw value is its byte in a shape.
public enum Collation: UInt8, Hashable, Sendable, CaseIterable {
  /// Byte by byte.
  case binary = 0
  /// Upper and lower case ASCII letters are equal.
  case nocase = 1
  /// Trailing spaces do not count.
  case rtrim = 2
}
