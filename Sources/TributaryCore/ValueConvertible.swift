/// A type whose values can be parameters of a statement.
public protocol ValueConvertible {
  /// This value as SQLite stores it.
  var value: Value { get }
}

extension Value: ValueConvertible {
  public var value: Value { self }
}

extension Int: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension Int64: ValueConvertible {
  public var value: Value { .integer(self) }
}

extension Int32: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension Int16: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension Int8: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension UInt32: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension UInt16: ValueConvertible {
  public var value: Value { .integer(Int64(self)) }
}

extension Float: ValueConvertible {
  /// NaN becomes NULL, as in SQLite.
  public var value: Value { Double(self).value }
}

extension Substring: ValueConvertible {
  public var value: Value { .string(String(self)) }
}

extension Bool: ValueConvertible {
  public var value: Value { .integer(self ? 1 : 0) }
}

extension Double: ValueConvertible {
  /// NaN becomes NULL, as in SQLite.
  public var value: Value { isNaN ? .null : .real(self) }
}

extension String: ValueConvertible {
  public var value: Value { .string(self) }
}

/// An array of bytes is a blob. For text of arbitrary bytes, use `Value.text`.
extension Array: ValueConvertible where Element == UInt8 {
  public var value: Value { .blob(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  public var value: Value { self?.value ?? .null }
}
