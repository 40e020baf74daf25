package import TributaryCore

extension Value {
  /// Whether both are stored by the same bytes: 1 and 1.0 differ, and so do 0.0 and -0.0.
  ///
  /// A column without a type keeps -0.0, a REAL column turns it into 0.0, and an INTEGER one into
  /// 0.
  package func isIdentical(to other: Value) -> Bool {
    if case .real(let a) = self, case .real(let b) = other { return a.bitPattern == b.bitPattern }
    return self == other
  }

  /// The value as SQL, for messages; different values look different.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(describing: number)
    case .blob(let bytes): "x'\(bytes.lowerHex)'"
    case .text(let bytes):
      if bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "'") || $0 >= 0x7F }) {
        "CAST(x'\(bytes.lowerHex)' AS TEXT)"
      } else {
        "'\(String(decoding: bytes, as: UTF8.self))'"
      }
    }
  }
}

extension Value {
  /// Whether it comes before another value in SQLite's order: NULL, numbers, texts, blobs. Texts
  /// are ordered by their bytes.
  func precedes(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): Value.compare(a, b) < 0
    case (.real(let a), .integer(let b)): Value.compare(b, a) > 0
    case (.text(let a), .text(let b)), (.blob(let a), .blob(let b)):
      a.lexicographicallyPrecedes(b)
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// Returns a negative number if the integer is smaller; exact, though not every integer is a
  /// real.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    guard real < 0x1p63 else { return -1 }
    guard real >= -0x1p63 else { return 1 }
    let whole = Int64(real.rounded(.down))
    if integer != whole { return integer < whole ? -1 : 1 }
    return real > real.rounded(.down) ? -1 : 0
  }
}
