import TributaryCore

/// The name of a segment: the transactions that it contains, and the hash of its contents.
///
/// | Offset | Size | Field                                     |
/// |-------:|-----:|-------------------------------------------|
/// |      0 |   16 | first sequence, lower-case hexadecimal    |
/// |     16 |    1 | `-`                                       |
/// |     17 |   16 | last sequence                             |
/// |     33 |    1 | `-`                                       |
/// |     34 |   16 | content hash                              |
/// |     50 |    4 | `.lz4`                                    |
///
/// Names are ordered by first sequence, then last sequence, then hash, ascending; their texts have
/// the same order.
package struct SegmentName: Hashable, Sendable {
  /// The first sequence in the segment; at least 1.
  package let first: SequenceNumber
  /// The last sequence in the segment; at least `first`.
  package let last: SequenceNumber
  /// The hash of the contents. With it, different segments of the same sequences are different
  /// files.
  package let hash: UInt64

  /// The suffix of every segment's name.
  package static let suffix = ".lz4"
  /// The length of every segment's name.
  package static let byteCount = 54

  /// Makes a name.
  ///
  /// - Precondition: 1 ≤ `first` ≤ `last` ≤ `SequenceNumber.max`.
  package init(first: SequenceNumber, last: SequenceNumber, hash: UInt64) {
    precondition(SequenceNumber.zero < first && first <= last && last <= .max)
    self.first = first
    self.last = last
    self.hash = hash
  }

  /// Reads a name; `nil` for anything that differs from the table by even one byte.
  package init?(_ text: String) {
    var text = text
    guard let name = text.withUTF8({ Self.parse(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = name
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) -> SegmentName? {
    guard bytes.count == byteCount, bytes[16] == UInt8(ascii: "-"), bytes[33] == UInt8(ascii: "-"),
      bytes[50...].elementsEqual(suffix.utf8),
      let first = number(bytes, at: 0), let last = number(bytes, at: 17),
      let hash = number(bytes, at: 34),
      first >= 1, first <= last, last <= SequenceNumber.max.rawValue
    else { return nil }
    return SegmentName(first: SequenceNumber(first), last: SequenceNumber(last), hash: hash)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64? {
    UInt64(lowerHex: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 16]))
  }
}

extension SegmentName: Comparable {
  package static func < (a: SegmentName, b: SegmentName) -> Bool {
    if a.first != b.first { return a.first < b.first }
    return a.last != b.last ? a.last < b.last : a.hash < b.hash
  }
}

extension SegmentName: CustomStringConvertible {
  /// The name as it appears in the directory.
  package var description: String {
    String(unsafeUninitializedCapacity: Self.byteCount) { text in
      func write(_ number: UInt64, at offset: Int) {
        number.writeLowerHex(
          to: UnsafeMutableRawBufferPointer(
            UnsafeMutableBufferPointer(rebasing: text[offset..<offset + 16])))
      }
      write(first.rawValue, at: 0)
      text[16] = UInt8(ascii: "-")
      write(last.rawValue, at: 17)
      text[33] = UInt8(ascii: "-")
      write(hash, at: 34)
      for (index, byte) in Self.suffix.utf8.enumerated() { text[50 + index] = byte }
      return Self.byteCount
    }
  }
}
