public import Foundation
public import Tributary
import TributaryCore

/// A decimal number is text such as `-12.50`, in which no digit is lost. In a column declared NUMERIC, INTEGER or REAL,
/// SQLite would make it a binary number: declare the column TEXT. Text does not sort as numbers do.
///
/// Reading also takes integers, and text with an exponent; no binary number, since its digits are not those that were
/// meant.
extension Decimal: ValueConvertible, ValueReadable {
  /// NULL for NaN.
  public var value: Value { isNaN ? .null : .string(description) }

  public init?(value: Value) {
    switch value {
    case .integer(let integer): self.init(integer)
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      // Foundation reads as far as it understands.
      guard
        text.wholeMatch(of: #/[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/#) != nil,
        let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
      else { return nil }
      self = decimal
    default: return nil
    }
  }
}
