public import Foundation
public import Tributary
import TributaryCore

/// A decimal number is stored as text such as `-12.50`, in which no digit is lost. In a column declared
/// NUMERIC, INTEGER or REAL, SQLite would convert it to a binary number, so declare the column TEXT. Text
/// does not sort as numbers do.
///
/// Reading also accepts integers, and text with an exponent. It does not accept binary numbers, since their
/// digits are not the intended ones.
extension Decimal: ValueConvertible, ValueReadable {
  /// The text; NULL for NaN.
  public var value: Value { isNaN ? .null : .string(description) }

  public init?(value: Value) {
    switch value {
    case .integer(let integer): self.init(integer)
    case .text(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      // Foundation reads only as far as it understands.
      guard
        text.wholeMatch(of: #/[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/#) != nil,
        let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
      else { return nil }
      self = decimal
    default: return nil
    }
  }
}
