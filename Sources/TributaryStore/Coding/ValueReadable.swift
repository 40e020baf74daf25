import TributaryCore

/// A type whose values can be read back from a column.
///
/// Conform to it and to `ValueConvertible` to store a type of your own, also as a property of a `Codable` row:
///
///     extension Celsius: ValueConvertible, ValueReadable {
///       var value: Value { .real(degrees) }
///       init?(value: Value) {
///         guard let degrees = value.realValue else { return nil }
///         self.init(degrees: degrees)
///       }
///     }
public protocol ValueReadable {
  /// Makes the value that is stored as `value`; `nil` if none is.
  init?(value: Value)
}

extension Value: ValueReadable {
  public init(value: Value) { self = value }
}

extension Array: ValueReadable where Element == UInt8 {
  /// Only blobs are arrays of bytes.
  public init?(value: Value) {
    guard case .blob(let bytes) = value else { return nil }
    self = bytes
  }
}
