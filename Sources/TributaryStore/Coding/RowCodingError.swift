public import TributaryCore

/// The error for a row that does not fit a `Codable` type, or a value of such a type that does not fit a row.
public struct RowCodingError: TributaryError {
  /// The parts of the error.
  public var details: ErrorDetails
  /// The column; `nil` if the error is not about one.
  public var column: String?
  /// The Swift type.
  public var type: String

  init(_ code: ErrorCode, _ message: String, column: String?, type: Any.Type, remedy: String) {
    details = ErrorDetails(code, message, remedy: remedy)
    self.column = column
    self.type = "\(type)"
  }
}

extension RowCodingError {
  static func wrongType(_ value: Column, _ type: Any.Type) -> RowCodingError {
    RowCodingError(
      .wrongType,
      "the column \(value.name) contains \(value.kind), which is not of the type \(type)",
      column: value.name, type: type,
      remedy: "change the type of the property, or convert the column in the query")
  }

  static func null(_ name: String, _ type: Any.Type) -> RowCodingError {
    RowCodingError(
      .unexpectedNull, "the column \(name) contains NULL, and the property is not optional",
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
