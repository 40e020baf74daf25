/// A date as text. The calendar is Gregorian, even before its introduction, as in SQLite.
struct StoredDate {
  /// Seconds since 1970, in UTC.
  let seconds: Double

  /// - Returns: `nil` if the year does not have four digits.
  init?(milliseconds: Double) {
    // From the beginning of the year 0 to the end of the year 9999.
    guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else {
      return nil
    }
    seconds = milliseconds / 1000
  }

  var text: [UInt8] {
    let milliseconds = Int64((seconds * 1000).rounded())
    let day = Self.floor(milliseconds, 86_400_000)
    let time = milliseconds - day * 86_400_000
    let (year, month, dayOfMonth) = Self.date(ofDay: day)
    var text: [UInt8] = []
    text.reserveCapacity(23)
    func add(_ number: Int64, _ digits: Int, _ separator: Character?) {
      var divisor: Int64 = 1
      for _ in 1..<digits { divisor *= 10 }
      while divisor > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
        divisor /= 10
      }
      if let separator { text += separator.utf8 }
    }
    add(year, 4, "-")
    add(month, 2, "-")
    add(dayOfMonth, 2, " ")
    add(time / 3_600_000, 2, ":")
    add(time / 60_000 % 60, 2, ":")
    add(time / 1000 % 60, 2, ".")
    add(time % 1000, 3, nil)
    return text
  }

  /// - Returns: `nil` for text in another form, or for a date that does not exist.
  init?(text: [UInt8]) {
    var scanner = Scanner(rest: text[...])
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), (1...12).contains(month),
      (1...Self.length(ofMonth: month, year)).contains(day)
    else { return nil }
    var seconds = Double(Self.day(year, month, day) * 86400)
    if !scanner.rest.isEmpty {
      guard scanner.skip(" ") || scanner.skip("T"), let hour = scanner.number(2),
        scanner.skip(":"), let minute = scanner.number(2), hour < 24, minute < 60
      else { return nil }
      seconds += Double(hour * 3600 + minute * 60)
      if scanner.skip(":") {
        guard let second = scanner.number(2), second < 60 else { return nil }
        seconds += Double(second)
        if scanner.skip(".") {
          guard let fraction = scanner.fraction() else { return nil }
          seconds += fraction
        }
      }
      if scanner.skip("Z") || scanner.skip("z") {
      } else if let sign = scanner.sign() {
        guard let hours = scanner.number(2), scanner.skip(":"), let minutes = scanner.number(2),
          hours < 15, minutes < 60
        else { return nil }
        seconds -= sign * Double(hours * 3600 + minutes * 60)
      }
    }
    guard scanner.rest.isEmpty else { return nil }
    self.seconds = seconds
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func number(_ digits: Int) -> Int64? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    mutating func fraction() -> Double? {
      let text = rest.prefix { (0x30...0x39).contains($0) }
      guard !text.isEmpty else { return nil }
      rest = rest.dropFirst(text.count)
      return Double("0." + String(decoding: text, as: UTF8.self))
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func sign() -> Double? { skip("+") ? 1 : skip("-") ? -1 : nil }
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : (number - divisor + 1) / divisor
  }

  private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days since 1970.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let y = month <= 2 ? year - 1 : year
    let era = floor(y, 400)
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the date of a day, the reverse of `day`; civil_from_days in the same source.
  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let z = day + 719_468
    let era = floor(z, 146_097)
    let dayOfEra = z - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
