import CSQLite
import TributaryCore

/// Numbers written as text, as SQLite reads and writes them.
package enum NumberText {
  /// Returns the number to which SQLite converts text where it needs a number.
  ///
  /// - Returns: an integer if possible; `nil` if the text as a whole is not a number.
  ///
  /// Source: https://www.sqlite.org/datatype3.html#type_affinity
  package static func value(of text: UnsafeRawBufferPointer) -> Value? {
    var rest = text[...]
    while let first = rest.first, isSpace(first) { rest.removeFirst() }
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    let number = rest
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      rest.removeFirst()
    }
    let whole = skipDigits(&rest)
    if whole > 0, rest.isEmpty, let integer = integer(number) { return .integer(integer) }
    var places = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      places = skipDigits(&rest)
    }
    guard whole + places > 0 else { return nil }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
        rest.removeFirst()
      }
      guard skipDigits(&rest) > 0 else { return nil }
    }
    guard rest.isEmpty, let real = Double(String(decoding: number, as: UTF8.self)) else {
      return nil
    }
    // The lowest integer is read as an integer only if it is written as one.
    guard let integer = Int64(exactly: real), integer != .min else { return .real(real) }
    return .integer(integer)
  }

  /// Returns another number, spelled in the manner of the given text, so that two spellings of one number
  /// stay different.
  ///
  /// - Parameter text: the text of an integer.
  package static func replacing(_ text: UnsafeRawBufferPointer, with number: Int64) -> [UInt8] {
    let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let start = text.firstIndex { !isSpace($0) } ?? text.endIndex
    let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    let hasPlus = start < end && text[start] == UInt8(ascii: "+")
    let hasSign = hasPlus || start < end && text[start] == UInt8(ascii: "-")
    let digits = text[(hasSign ? start + 1 : start)..<end]
    let whole = digits.prefix(while: isDigit)
    let zeros = whole.prefix { $0 == UInt8(ascii: "0") }.count
    // If there are only zeros, the last one is the number itself.
    let padding = zeros == whole.count ? max(0, zeros - 1) : zeros
    var result = Array(text[..<start])
    if number < 0 { result.append(UInt8(ascii: "-")) }
    result += Array(repeating: UInt8(ascii: "0"), count: padding)
    result += Array(String(number.magnitude).utf8)
    let rest = digits.dropFirst(whole.count)
    if rest.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      result += Array("e0".utf8)
    } else {
      result += rest
      if hasPlus { result += Array("e+0".utf8) }
    }
    return result + text[end...]
  }

  /// Returns what a text column stores for a number.
  static func text(of number: Double) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      tributary_print_real(buffer.baseAddress, Int32(buffer.count), number)
      return String(cString: buffer.baseAddress!)
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }

  private static func skipDigits(_ text: inout Slice<UnsafeRawBufferPointer>) -> Int {
    let before = text.count
    while let first = text.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
      text.removeFirst()
    }
    return before - text.count
  }

  /// Reads an integer.
  ///
  /// - Returns: `nil` if it is too large.
  private static func integer(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
    var number: Int64 = 0
    let isNegative = text.first == UInt8(ascii: "-")
    for byte in text where byte >= UInt8(ascii: "0") {
      let (product, overflows) = number.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - UInt8(ascii: "0"))
      let (sum, exceeds) = product.addingReportingOverflow(isNegative ? -digit : digit)
      if overflows || exceeds { return nil }
      number = sum
    }
    return number
  }
}
