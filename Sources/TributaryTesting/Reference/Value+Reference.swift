package import TributaryCore

extension Value {
  /// Whether both are stored by the same bytes: 1 and 1.0 differ, and so do 0.0 and -0.0.
  ///
  /// A column without a type keeps -0.0, a REAL column makes 0.0 of it, and an INTEGER one 0.
  package func isIdentical(to other: Value) -> Bool {
    if case .real(let a) = self, case .real(let b) = other { return a.bitPattern == b.bitPattern }
    return self == other
  }

  /// The value as one would write it in SQL, for messages; no two different values look the same.
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
