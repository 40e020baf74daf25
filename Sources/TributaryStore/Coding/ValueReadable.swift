import TributaryCore

/// A type whose values can be read back from a column.
///
/// Conform to it and to `ValueConvertible` to store a type of your own, including as a property of a
/// `Codable` row:
///
///     extension Celsius: ValueConvertible, ValueReadable {
///       var value: Value { .real(degrees) }
///       init?(value: Value) {
///         guard let degrees = value.realValue else { return nil }
///         self.init(degrees: degrees)
///       }
///     }
public protocol ValueReadable {
  /// Makes the instance that is stored as `value`; `nil` if there is none.
  init?(value: Value)
}

extension Value: ValueReadable {
  public init(value: Value) { self = value }
}

extension Int: ValueReadable {
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension Int64: ValueReadable {
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self = integer
  }
}

extension Int32: ValueReadable {
  /// Reads integers that fit.
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension Int16: ValueReadable {
  /// Reads integers that fit.
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension Int8: ValueReadable {
  /// Reads integers that fit.
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension UInt32: ValueReadable {
  /// Reads integers that fit.
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension UInt16: ValueReadable {
  /// Reads integers that fit.
  public init?(value: Value) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }
}

extension Float: ValueReadable {
  /// Reads numbers, including integers, with rounding; none that is too large.
  public init?(value: Value) {
    guard let real = value.realValue else { return nil }
    let float = Float(real)
    guard float.isFinite || real.isInfinite else { return nil }
    self = float
  }
}

extension Bool: ValueReadable {
  /// Reads the integers 0 and 1.
  public init?(value: Value) {
    guard case .integer(let integer) = value, (0...1).contains(integer) else { return nil }
    self = integer == 1
  }
}

extension Double: ValueReadable {
  /// Reads numbers, including integers.
  public init?(value: Value) {
    switch value {
    case .real(let real): self = real
    case .integer(let integer): self = Double(integer)
    default: return nil
    }
  }
}

extension String: ValueReadable {
  public init?(value: Value) {
    guard let text = value.stringValue else { return nil }
    self = text
  }
}

extension Array: ValueReadable where Element == UInt8 {
  /// Reads only blobs as arrays of bytes.
  public init?(value: Value) {
    guard case .blob(let bytes) = value else { return nil }
    self = bytes
  }
}
