package import TributaryCore

/// SQLite's built-in collations, which decide which texts are the same key.
package enum ReferenceCollation: String, CaseIterable, Sendable {
  case binary = "BINARY"
  case nocase = "NOCASE"
  case rtrim = "RTRIM"

  /// Returns the same value for all values that are equal as keys: numbers are compared as numbers,
  /// blobs as bytes, and only texts by the collation.
  package func canonical(_ value: Value) -> Value {
    switch value {
    case .real(let number):
      if let integer = Int64(exactly: number) { .integer(integer) } else { value }
    case .text(let bytes): .text(canonical(bytes))
    case .null, .integer, .blob: value
    }
  }

  private func canonical(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .binary: return bytes
    case .rtrim:
      let kept = bytes.lastIndex { $0 != UInt8(ascii: " ") }
      return Array(bytes.prefix(kept.map { $0 + 1 } ?? 0))
    case .nocase:
      // SQLite's comparison ends at a NUL and then compares only the lengths.
      let compared = bytes.firstIndex(of: 0) ?? bytes.count
      return bytes.enumerated().map { index, byte in
        guard index < compared else { return 0 }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
      }
    }
  }
}
