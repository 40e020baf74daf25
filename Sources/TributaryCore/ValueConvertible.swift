/// What can be given as a parameter of a statement.
public protocol ValueConvertible {
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

extension Bool: ValueConvertible {
  public var value: Value { .integer(self ? 1 : 0) }
}

extension Double: ValueConvertible {
  /// NaN is NULL, as for SQLite.
  public var value: Value { isNaN ? .null : .real(self) }
}

extension String: ValueConvertible {
  public var value: Value { .string(self) }
}

/// Bytes are a blob; text of any bytes is `Value.text`.
extension Array: ValueConvertible where Element == UInt8 {
  public var value: Value { .blob(self) }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  public var value: Value { self?.value ?? .null }
}
