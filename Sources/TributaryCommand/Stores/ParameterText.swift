import TributaryCore

/// Reads the values of parameters from the command line.
package enum ParameterText {
  /// Returns the value of an SQL literal, or the text itself if it is not one.
  package static func value(_ text: String) throws(UsageError) -> Value {
    let bytes = Array(text.utf8)
    if text.lowercased() == "null" { return .null }
    if bytes.count >= 2, bytes.first == quote, bytes.last == quote {
      guard let inner = unquoted(bytes[1..<(bytes.count - 1)]) else {
        throw UsageError("in \(text), a quote inside is not doubled")
      }
      return .text(inner)
    }
    if bytes.count >= 3, bytes[0] | 0x20 == UInt8(ascii: "x"), bytes[1] == quote,
      bytes.last == quote
    {
      guard let blob = hexadecimal(bytes[2..<(bytes.count - 1)]) else {
        throw UsageError("\(text) is not a blob: it needs pairs of hexadecimal digits")
      }
      return .blob(blob)
    }
    return number(bytes, text) ?? .text(bytes)
  }

  private static let quote = UInt8(ascii: "'")

  private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == quote {
        guard rest.popFirst() == quote else { return nil }
      }
      result.append(byte)
    }
    return result
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = digits
    while let high = rest.popFirst(), let low = rest.popFirst() {
      guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
        let low = Character(Unicode.Scalar(low)).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  /// Reads digits with a sign, a point and an exponent, as in SQL: not `inf`, `nan` or `0x1p3`.
  private static func number(_ bytes: [UInt8], _ text: String) -> Value? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    var rest = bytes[...]
    func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
      let count = rest.prefix { digits.contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    func takeSign(_ rest: inout ArraySlice<UInt8>) {
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
        rest = rest.dropFirst()
      }
    }
    takeSign(&rest)
    var count = takeDigits(&rest)
    var isReal = false
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += takeDigits(&rest)
      isReal = true
    }
    guard count > 0 else { return nil }
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      takeSign(&rest)
      guard takeDigits(&rest) > 0 else { return nil }
      isReal = true
    }
    guard rest.isEmpty else { return nil }
    if !isReal, let integer = Int64(text) { return .integer(integer) }
    // An integer of over 64 bits is a real to SQLite too.
    return Double(text).map { .real($0) }
  }
}
