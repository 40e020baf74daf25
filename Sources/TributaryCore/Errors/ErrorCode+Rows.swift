extension ErrorCode {
  // Of rows that become Swift values, and vice versa.

  /// The row has no column with the name of a property.
  public static let missingColumn = ErrorCode(rawValue: "missingColumn")

  /// A column contains NULL, and the property is not optional.
  public static let unexpectedNull = ErrorCode(rawValue: "unexpectedNull")

  /// A column contains something that the property cannot be.
  public static let wrongType = ErrorCode(rawValue: "wrongType")

  /// A type has no representation in a column, such as an array.
  public static let unsupportedType = ErrorCode(rawValue: "unsupportedType")

  /// A table has no primary key, or a value has none for it.
  public static let missingKey = ErrorCode(rawValue: "missingKey")
}
