/// A value of a property list.
public indirect enum PropertyListValue: Hashable, Sendable {
  /// Text.
  case string(String)
  /// An integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// True or false.
  case bool(Bool)
  /// Seconds since 2001-01-01T00:00:00Z, as Foundation counts them, so that each date is preserved exactly.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// Values in order.
  case array([PropertyListValue])
  /// Values by key.
  case dictionary([String: PropertyListValue])

  /// The type of a value.
  public enum Kind: String, Sendable, CaseIterable {
    /// The types, without their values.
    case string, integer, real, bool, date, data, array, dictionary
  }

  /// The type of this value.
  public var kind: Kind {
    switch self {
    case .string: .string
    case .integer: .integer
    case .real: .real
    case .bool: .bool
    case .date: .date
    case .data: .data
    case .array: .array
    case .dictionary: .dictionary
    }
  }

  /// The deepest nesting of arrays and dictionaries that a value may have.
  package static let depthLimit = 128

  /// Returns why the value cannot be stored; `nil` if it can.
  func obstacle(depth: Int = 0) -> String? {
    switch self {
    case .string, .integer, .bool, .data: return nil
    case .real(let number), .date(let number):
      return number.isNaN ? "a \(kind.rawValue) that is not a number" : nil
    case .array(let elements): return Self.obstacle(in: elements, depth)
    case .dictionary(let members): return Self.obstacle(in: members.values, depth)
    }
  }

  private static func obstacle(
    in elements: some Sequence<PropertyListValue>, _ depth: Int
  ) -> String? {
    if depth == depthLimit { return tooDeep }
    for element in elements {
      if let obstacle = element.obstacle(depth: depth + 1) { return obstacle }
    }
    return nil
  }

  private static let tooDeep = "arrays and dictionaries nested deeper than \(depthLimit) levels"
}
