public import Foundation
public import Tributary
import TributaryCore

/// A date is stored as text in the form that SQLite's own functions read and compare:
/// `2026-03-01 12:30:05.250`, in UTC, with milliseconds; finer fractions are rounded. The text sorts in the
/// same order as the dates. Dates outside the years 0 to 9999 have no such text, and are stored as the number
/// of seconds since 1970.
///
/// Reading also accepts what SQLite's functions and other programs write: `2026-03-01`, `2026-03-01 12:30`,
/// with `T` between date and time, with or without fractions of a second, and with `Z` or an offset such as
/// `+02:00`. A number means seconds since 1970.
extension Date: ValueConvertible, ValueReadable {
  public var value: Value {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    guard let stored = StoredDate(milliseconds: milliseconds) else {
      return timeIntervalSince1970.value
    }
    return .text(stored.text)
  }

  public init?(value: Value) {
    switch value {
    case .integer(let seconds): self.init(timeIntervalSince1970: Double(seconds))
    case .real(let seconds): self.init(timeIntervalSince1970: seconds)
    case .text(let bytes):
      guard let stored = StoredDate(text: bytes) else { return nil }
      self.init(timeIntervalSince1970: stored.seconds)
    default: return nil
    }
  }
}
