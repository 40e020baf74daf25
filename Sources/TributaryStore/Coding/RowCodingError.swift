/// A row that does not fit a `Codable` type, or the other way round.
public struct RowCodingError: Error, Hashable, Sendable {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The row has no column of the name of a property.
    public static let missingColumn = Code(rawValue: "missingColumn")
    /// A column contains NULL, and the property is not optional.
    public static let unexpectedNull = Code(rawValue: "unexpectedNull")
    /// A column contains something else than the property can be.
    public static let wrongType = Code(rawValue: "wrongType")
    /// A type has no form in a column, such as an array.
    public static let unsupportedType = Code(rawValue: "unsupportedType")
    /// A table has no primary key, or a value has none for it.
    public static let missingKey = Code(rawValue: "missingKey")
  }

  public var code: Code
  public var message: String
  /// The column; `nil` if it is not about one.
  public var column: String?
  /// The Swift type.
  public var type: String
  public var remedy: String

  init(_ code: Code, _ message: String, column: String?, type: Any.Type, remedy: String) {
    self.code = code
    self.message = message
    self.column = column
    self.type = "\(type)"
    self.remedy = remedy
  }
}

extension RowCodingError: CustomStringConvertible {
  public var description: String { "\(message); \(remedy)" }
}

extension RowCodingError {
  static func wrongType(_ value: Column, _ type: Any.Type) -> RowCodingError {
    RowCodingError(
      .wrongType, "the column \(value.name) contains \(value.kind), which is no \(type)",
      column: value.name, type: type,
      remedy: "change the type of the property, or convert the column in the query")
  }

  static func null(_ name: String, _ type: Any.Type) -> RowCodingError {
    RowCodingError(
      .unexpectedNull, "the column \(name) contains NULL, and the property is no optional",
      column: name, type: type,
      remedy: "make the property an optional, or declare the column NOT NULL")
  }

  static func unsupported(_ name: String?, _ type: Any.Type) -> RowCodingError {
    let name = name.map { "the column \($0)" } ?? "a row"
    let isOfFoundation = ["Date", "UUID", "Data", "Decimal"].contains("\(type)")
    return RowCodingError(
      .unsupportedType, "\(type) has no form in \(name)", column: nil, type: type,
      remedy: isOfFoundation
        ? "add the product TributaryFoundation to the target and import it"
        : "use numbers, text, [UInt8], types with such a raw value, or types that are `ValueConvertible` and "
          + "`ValueReadable`")
  }
}
