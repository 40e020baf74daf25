internal import TributaryCore

extension PropertyListValue {
  /// Reads a value of a kind other than array and dictionary; `nil` if the text is not one.
  package init?(_ text: String, as kind: Kind) {
    switch kind {
    case .string: self = .string(text)
    case .integer:
      guard let integer = Int64(text) else { return nil }
      self = .integer(integer)
    case .real:
      guard let real = Double(text), !real.isNaN else { return nil }
      self = .real(real)
    case .bool:
      switch text {
      case "true", "yes", "1": self = .bool(true)
      case "false", "no", "0": self = .bool(false)
      default: return nil
      }
    case .date:
      guard let date = DateText.date(text) else { return nil }
      self = .date(date)
    case .data:
      guard let bytes = [UInt8](lowerHex: Array(text.lowercased().utf8)) else { return nil }
      self = .data(bytes)
    case .array, .dictionary: return nil
    }
  }

  /// The value as `init(_:as:)` reads it; JSON for arrays and dictionaries.
  package var text: String {
    switch self {
    case .string(let string): string
    case .integer(let integer): String(integer)
    case .real(let real): "\(real)"
    case .bool(let bool): bool ? "true" : "false"
    case .date(let date): DateText.text(date) ?? "\(date)"
    case .data(let bytes): bytes.lowerHex
    case .array, .dictionary: json
    }
  }
}
