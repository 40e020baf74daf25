import TributaryCore

/// The type affinity of a column.
///
/// Source: https://www.sqlite.org/datatype3.html#determination_of_column_affinity
package enum Affinity: String, Sendable {
  case integer, text, blob, real, numeric

  /// Determines the affinity of a declared type.
  package init(declaredType: String) {
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

extension Affinity {
  var isNumeric: Bool { self == .integer || self == .real || self == .numeric }

  /// Whether a key becomes another one once a column of this affinity has stored it: text that reads as a
  /// number becomes that number, and a number becomes text.
  package func changes(key: Value) -> Bool { !compared(key).hasSameBits(as: key) }

  /// Returns a value in the form in which it is compared with a column of this affinity.
  ///
  /// Source: https://www.sqlite.org/foreignkeys.html#fk_basics ("that affinity is applied to the
  /// child key value before the comparison is performed")
  func compared(_ value: Value) -> Value {
    switch (self, value) {
    case (.integer, .text(let text)), (.real, .text(let text)), (.numeric, .text(let text)):
      text.withUnsafeBytes { NumberText.value(of: $0) } ?? value
    case (.text, .integer(let number)): .string(String(number))
    case (.text, .real(let number)): .string(NumberText.text(of: number))
    default: value
    }
  }
}
