extension Value {
  /// Whether it is NULL.
  public var isNull: Bool { self == .null }

  /// The integer; `nil` for anything else.
  public var integerValue: Int64? {
    if case .integer(let integer) = self { integer } else { nil }
  }

  /// The number, rounded if it is an integer beyond 2⁵³; `nil` for anything else.
  public var realValue: Double? {
    switch self {
    case .real(let real): real
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  /// The text, with invalid UTF-8 repaired; `nil` for anything else.
  public var stringValue: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The blob; `nil` for anything else.
  public var blobValue: [UInt8]? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}

extension Value: CustomStringConvertible {
  /// The value as readable SQL: text with invalid UTF-8 repaired, reals in their shortest form.
  public var description: String {
    switch self {
    case .null: return "NULL"
    case .integer(let integer): return String(integer)
    case .real(let real): return real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : String(real)
    case .text(let bytes):
      let parts = bytes.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
      return "'" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "''") + "'"
    case .blob(let bytes):
      return "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
  }
}
