import TributaryCore
import TributaryLog

/// The checksum with which a `peer.json` begins. With it, a changed byte is recognised as damage instead of
/// turning into a different declaration.
///
/// It covers the bytes of the file as they are, so it can be checked before anything is interpreted, even if
/// a newer program has added keys.
///
/// | Bytes                  | Meaning                                                         |
/// | `{"checksum":"`        | the first key, without white space                              |
/// | 16 hexadecimal digits  | the first eight bytes of the BLAKE2b-256 of all that follows    |
/// | `",…}` and a newline   | the rest of the file                                            |
package enum ManifestSeal {
  private static let opening = Array(#"{"checksum":""#.utf8)
  private static let digitCount = 16
  /// The bytes of the seal, which precede what it covers.
  private static let byteCount = opening.count + digitCount

  /// The first format whose files must begin with a seal.
  static let since = ManifestFormat(major: 1, minor: 1)

  /// Whether the bytes begin with a seal.
  static func isPresent(in bytes: [UInt8]) -> Bool { bytes.starts(with: opening) }

  /// Whether the seal at the beginning of the bytes is correct.
  static func isRight(in bytes: [UInt8]) -> Bool {
    bytes.count > byteCount
      && bytes[opening.count..<byteCount].elementsEqual(digits(of: bytes[byteCount...]))
  }

  /// Puts a seal in front of the members of an object.
  ///
  /// - Parameter object: JSON without white space in front, and with at least one member.
  package static func sealed(_ object: [UInt8]) -> [UInt8] {
    let rest = Array("\",".utf8) + object.dropFirst()
    return opening + digits(of: rest[...]) + rest
  }

  /// Returns the object that was sealed.
  package static func opened(_ bytes: [UInt8]) -> [UInt8] {
    guard isPresent(in: bytes), bytes.count > byteCount + 2 else { return bytes }
    return [UInt8(ascii: "{")] + bytes[(byteCount + 2)...]
  }

  private static func digits(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array(bytes.withUnsafeBytes { SegmentHash.hash($0) }.lowerHex.utf8)
  }
}
