internal import Glibc

/// Moments as text: RFC 3339 in UTC, with milliseconds.
package enum Timestamp {
  /// Returns a text such as `2026-11-20T10:11:12.345Z`. *gmtime_r(3)*
  ///
  /// - Parameter milliseconds: since 1970, below 2^48; years over 9999 have five digits.
  package static func text(milliseconds: UInt64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return String(unsafeUninitializedCapacity: 40) { text in
      var count = 0
      func put(_ number: Int32, _ least: Int, _ end: Unicode.Scalar) {
        var width = 1
        var rest = number / 10
        while rest > 0 { (width, rest) = (width + 1, rest / 10) }
        width = max(width, least)
        rest = number
        for place in stride(from: count + width - 1, through: count, by: -1) {
          text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        text[count + width] = UInt8(ascii: end)
        count += width + 1
      }
      put(parts.tm_year + 1900, 4, "-")
      put(parts.tm_mon + 1, 2, "-")
      put(parts.tm_mday, 2, "T")
      put(parts.tm_hour, 2, ":")
      put(parts.tm_min, 2, ":")
      put(parts.tm_sec, 2, ".")
      put(Int32(milliseconds % 1000), 3, "Z")
      return count
    }
  }

  /// Reads RFC 3339 with any offset and any fraction, or milliseconds since 1970. *timegm(3)*
  ///
  /// - Returns: milliseconds since 1970, rounded down; `nil` for anything else and for moments
  ///   before 1970.
  package static func milliseconds(_ text: String) -> UInt64? {
    let bytes = Array(text.utf8)
    if !bytes.isEmpty, bytes.allSatisfy(isDigit) { return UInt64(text) }
    var reader = Reader(bytes: bytes[...])
    return reader.read()
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func read() -> UInt64? {
      guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
        take("Tt "), let hour = number(2), take(":"), let minute = number(2), take(":"),
        let second = number(2), let fraction = fraction(), let offset = offset(), bytes.isEmpty,
        (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
      else { return nil }
      var parts = tm()
      parts.tm_year = year - 1900
      parts.tm_mon = month - 1
      parts.tm_mday = day
      parts.tm_hour = hour
      parts.tm_min = minute
      parts.tm_sec = second
      let seconds = timegm(&parts) - offset
      // A day that does not exist in the month has become a day of the next month.
      guard parts.tm_mday == day || second == 60, seconds >= 0 else { return nil }
      return UInt64(seconds) * 1000 + fraction
    }

    private mutating func number(_ digits: Int) -> Int32? {
      let text = bytes.prefix(digits)
      guard text.count == digits, text.allSatisfy(Timestamp.isDigit) else { return nil }
      bytes = bytes.dropFirst(digits)
      return Int32(String(decoding: text, as: UTF8.self))
    }

    private mutating func take(_ choices: String) -> Bool {
      guard let first = bytes.first, choices.utf8.contains(first) else { return false }
      bytes = bytes.dropFirst()
      return true
    }

    /// Reads a fraction, if there is one, as milliseconds.
    private mutating func fraction() -> UInt64? {
      guard take(".") else { return 0 }
      let digits = bytes.prefix(while: Timestamp.isDigit)
      guard !digits.isEmpty else { return nil }
      bytes = bytes.dropFirst(digits.count)
      return UInt64(String(decoding: (digits + [0x30, 0x30]).prefix(3), as: UTF8.self))
    }

    /// Reads the offset, as seconds east of Greenwich.
    private mutating func offset() -> Int? {
      if take("Zz") { return 0 }
      let sign = take("+") ? 1 : take("-") ? -1 : 0
      guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), hours < 24,
        minutes < 60
      else { return nil }
      return sign * Int(hours * 3600 + minutes * 60)
    }
  }
}
