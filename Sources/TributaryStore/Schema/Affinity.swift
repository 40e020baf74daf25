import TributaryCore

/// The type affinity of a column.
///
/// Source: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
public enum Affinity: Sendable {
  case integer, text, blob, real, numeric

  /// The affinity that a declared type has.
  public init(declaredType: String) {
    let type = SQLName(declaredType)
    if type.contains("INT") {
      self = .integer
    } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
      self = .text
    } else if type.contains("BLOB") || type.text.isEmpty {
      self = .blob
    } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
      self = .real
    } else {
      self = .numeric
    }
  }
}
