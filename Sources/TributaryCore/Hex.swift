extension UInt64 {
  /// The number as sixteen lower-case hexadecimal digits.
  package var lowerHex: String {
    String(unsafeUninitializedCapacity: 16) { digits in
      writeLowerHex(to: UnsafeMutableRawBufferPointer(digits))
      return 16
    }
  }

  /// Writes sixteen lower-case hexadecimal digits at the start of `digits`.
  ///
  /// - Precondition: there is room for them.
  package func writeLowerHex(to digits: UnsafeMutableRawBufferPointer) {
    precondition(digits.count >= 16)
    for index in 0..<16 {
      let nibble = UInt8(truncatingIfNeeded: self >> UInt64(60 - 4 * index)) & 15
      digits[index] = Hex.digit(nibble)
    }
  }

  /// Reads 1 to 16 lower-case hexadecimal digits; `nil` for anything else.
  package init?(lowerHex digits: UnsafeRawBufferPointer) {
    guard (1...16).contains(digits.count) else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard let nibble = Hex.nibble(digit) else { return nil }
      value = value << 4 | UInt64(nibble)
    }
    self = value
  }

  /// Reads 1 to 16 lower-case hexadecimal digits; `nil` for anything else.
  package init?(lowerHex digits: some Sequence<UInt8>) {
    var value: UInt64 = 0
    var count = 0
    for digit in digits {
      guard let nibble = Hex.nibble(digit) else { return nil }
      value = value << 4 | UInt64(nibble)
      count += 1
    }
    guard (1...16).contains(count) else { return nil }
    self = value
  }
}

extension Sequence<UInt8> {
  /// The bytes as lower-case hexadecimal, two digits a byte.
  package var lowerHex: String {
    // Bytes that are contiguous in memory, as most are, need no call for each byte.
    if let text = withContiguousStorageIfAvailable({ Hex.text($0) }) { return text }
    return Array(self).withUnsafeBufferPointer { Hex.text($0) }
  }
}

extension [UInt8] {
  /// Reads two lower-case hexadecimal digits a byte; `nil` for anything else.
  package init?(lowerHex digits: [UInt8]) {
    guard digits.count % 2 == 0 else { return nil }
    self.init()
    reserveCapacity(digits.count / 2)
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Hex.nibble(digits[start]), let low = Hex.nibble(digits[start + 1]) else {
        return nil
      }
      append(high << 4 | low)
    }
  }
}

/// Conversion between bytes and hexadecimal digits.
private enum Hex {
  static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
  }

  static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
      for index in 0..<bytes.count {
        digits[2 * index] = digit(bytes[index] >> 4)
        digits[2 * index + 1] = digit(bytes[index] & 15)
      }
      return bytes.count * 2
    }
  }
}
