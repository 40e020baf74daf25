package import TributaryCore

/// How SQLite converts the value of a child to compare it with a column to which it refers.
package enum ReferenceAffinity: Sendable {
  case none, numeric, text

  package func compared(_ value: Value) -> Value {
    switch (self, value) {
    case (.numeric, .text(let bytes)): return Self.number(bytes) ?? value
    case (.text, .integer(let number)): return .text(Array(String(number).utf8))
    default: return value
    }
  }

  /// Returns another number in the spelling of a numeric text: with its spaces and its zeros before
  /// and after; one with an exponent, as SQLite writes large reals, goes on to have one.
  static func respelling(_ bytes: [UInt8], as number: Int64) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    let sign = number < 0 ? "-" : ""
    let digits = String(number.magnitude)
    if let match = text.wholeMatch(of: /([ \t-\r]*)-?(0*)([0-9]+)(\.?0*)([ \t-\r]*)/) {
      return Array("\(match.1)\(sign)\(match.2)\(digits)\(match.4)\(match.5)".utf8)
    }
    if let match = text.wholeMatch(
      of: /([ \t-\r]*)-?(0*)[0-9]+\.?[0-9]*[eE][+-]?[0-9]+([ \t-\r]*)/)
    {
      return Array("\(match.1)\(sign)\(match.2)\(digits)e0\(match.3)".utf8)
    }
    fatalError("\(text) is not among the spellings that histories draw")
  }

  /// Returns the number that a text is, by the grammar of SQLite's numbers.
  private static func number(_ bytes: [UInt8]) -> Value? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard
      let match = text.wholeMatch(
        of: /[ \t-\r]*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)[ \t-\r]*/)
    else { return nil }
    if let integer = Int64(match.1) { return .integer(integer) }
    return Double(match.1).map(Value.real)
  }
}
