internal import TributaryFiles

/// Dates in the form of RFC 3339, to the millisecond.
package enum DateText {
  /// 2001-01-01T00:00:00Z, in seconds since 1970.
  private static let reference = 978_307_200.0
  /// In 400 years, the calendar repeats itself.
  private static let cycleSeconds = 12_622_780_800.0
  private static let cycleYears = 400

  /// Returns the text of a date, rounded down; `nil` beyond the years 0 to 9999.
  package static func text(_ secondsSince2001: Double) -> String? {
    var seconds = secondsSince2001 + reference
    guard abs(seconds) < 1e12 else { return nil }
    var cycles = 0
    while seconds < 0 {
      seconds += cycleSeconds
      cycles += 1
    }
    // A date is a number of seconds in binary; the nearest thousandth is what was meant.
    let milliseconds = (seconds * 1000 + 0.01).rounded(.down)
    let text = Timestamp.text(milliseconds: UInt64(milliseconds))
    guard let year = Int(text.prefix { $0 != "-" }) else { return nil }
    let shown = year - cycles * cycleYears
    guard 0...9999 ~= shown else { return nil }
    let digits = String(shown)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
      + text.drop { $0 != "-" }
  }

  /// Returns the date of a text, in seconds since 2001; `nil` for anything else. Besides RFC 3339, it reads a day
  /// (`2026-11-26`), which begins in UTC.
  package static func date(_ text: String) -> Double? {
    let text = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    guard text.contains("-"), let year = Int(text.prefix(4)), year >= 0 else { return nil }
    var cycles = 0
    // Late enough for any offset.
    while year + cycles * cycleYears < 1971 { cycles += 1 }
    guard
      let milliseconds = Timestamp.milliseconds(
        "\(year + cycles * cycleYears)" + text.dropFirst(4))
    else { return nil }
    return Double(milliseconds) / 1000 - Double(cycles) * cycleSeconds - reference
  }
}
