/// How the values of a key column are compared. The raw value is the collation's byte in a shape.
package enum Collation: UInt8, Hashable, Sendable, CaseIterable {
  /// Byte by byte.
  case binary = 0
  /// Upper- and lower-case ASCII letters are equal.
  case nocase = 1
  /// Trailing spaces do not count.
  case rtrim = 2
}
