extension UInt64 {
  /// Sixteen lower-case hexadecimal digits.
  public var lowerHex: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Reads 1 to 16 lower-case hexadecimal digits; `nil` for anything else.
  public init?(lowerHex digits: some Sequence<UInt8>) {
    var value: UInt64 = 0
    var count = 0
    for digit in digits {
      let nibble: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): nibble = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): nibble = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      value = value << 4 | UInt64(nibble)
      count += 1
    }
    guard (1...16).contains(count) else { return nil }
    self = value
  }
}

extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits a byte.
  public var lowerHex: String {
    var text: [UInt8] = []
    let digits = Array("0123456789abcdef".utf8)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
