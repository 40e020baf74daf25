extension ErrorCode {
  // Of rows that become Swift values, and the other way round.

  /// The row has no column of the name of a property.
  public static let missingColumn = ErrorCode(rawValue: "missingColumn")

  /// A column contains NULL, and the property is not optional.
  public static let unexpectedNull = ErrorCode(rawValue: "unexpectedNull")

  /// A column contains something else than the property can be.
  public static let wrongType = ErrorCode(rawValue: "wrongType")

  /// A type has no form in a column, such as an array.
  public static let unsupportedType = ErrorCode(rawValue: "unsupportedType")

  /// A table has no primary key, or a value has none for it.
  public static let missingKey = ErrorCode(rawValue: "missingKey")
}
