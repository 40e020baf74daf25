import TributaryCore

/// The name of a baseline: the writer's last transaction in it, and the hash of its contents.
///
/// | Offset | Size | Field                                                      |
/// |-------:|-----:|------------------------------------------------------------|
/// |      0 |   16 | the writer's last sequence, lower-case hexadecimal; may be 0 |
/// |     16 |    1 | `-`                                                        |
/// |     17 |   16 | content hash                                               |
/// |     33 |    4 | `.lz4`                                                     |
package struct BaselineName: Hashable, Sendable {
  /// The writer's last transaction in the baseline; zero if there is none.
  package let sequence: SequenceNumber
  /// The hash of the contents. With it, different baselines are different files.
  package let hash: UInt64

  private static let byteCount = 37
  private static let suffix = ".lz4"

  package init(sequence: SequenceNumber, hash: UInt64) {
    self.sequence = sequence
    self.hash = hash
  }

  /// Reads a name; `nil` for anything that differs from the table by even one byte.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == Self.byteCount, bytes[16] == UInt8(ascii: "-"),
      bytes[33...].elementsEqual(Self.suffix.utf8),
      let sequence = bytes[..<16].withUnsafeBytes({ UInt64(lowerHex: $0) }),
      let hash = bytes[17..<33].withUnsafeBytes({ UInt64(lowerHex: $0) }),
      sequence <= SequenceNumber.max.rawValue
    else { return nil }
    self.init(sequence: SequenceNumber(sequence), hash: hash)
  }
}

extension BaselineName: Comparable {
  package static func < (a: BaselineName, b: BaselineName) -> Bool {
    a.sequence != b.sequence ? a.sequence < b.sequence : a.hash < b.hash
  }
}

extension BaselineName: CustomStringConvertible {
  /// The name as it appears in the directory.
  package var description: String {
    sequence.rawValue.lowerHex + "-" + hash.lowerHex + Self.suffix
  }
}
