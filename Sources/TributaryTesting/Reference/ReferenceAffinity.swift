package import TributaryCore

/// How SQLite converts the value of a child to compare it with the column that it refers to.
package enum ReferenceAffinity: Sendable {
  case none, numeric, text

  package func compared(_ value: Value) -> Value {
    switch (self, value) {
    case (.numeric, .text(let bytes)): return Self.number(bytes) ?? value
    case (.text, .integer(let number)): return .text(Array(String(number).utf8))
    default: return value
    }
  }

  /// Returns another number in the spelling of a numeric text: with its spaces and its zeros before and
  /// after; text with an exponent, as SQLite writes large reals, keeps one.
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

  /// Returns the number in a text, using the grammar of SQLite's numbers: spaces, a sign, digits with a point
  /// among, before or after them, an exponent, spaces.
  ///
  /// It does not use a regular expression, which would be most of the work of a merge.
  package static func number(_ bytes: [UInt8]) -> Value? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    let spelled = Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    var rest = spelled[...]
    func skip(_ choices: String) -> Bool {
      guard let first = rest.first, choices.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    func skipDigits() -> Bool {
      let count = rest.count
      rest = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return rest.count < count
    }
    _ = skip("+-")
    let hasDigits = skipDigits()
    let hasPoint = skip(".")
    guard skipDigits() && hasPoint || hasDigits else { return nil }
    if skip("eE") {
      _ = skip("+-")
      guard skipDigits() else { return nil }
    }
    guard rest.isEmpty else { return nil }
    let text = String(decoding: spelled, as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    return Double(text).map(Value.real)
  }
}
