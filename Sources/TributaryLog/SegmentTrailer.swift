import TributaryCore

/// The end of a segment: the totals of its payload.
///
/// The content of frame 3; integers little-endian:
///
/// | Offset     | Size | Field           | Meaning                                               |
/// |------------|------|-----------------|-------------------------------------------------------|
/// |          0 |    8 | record count    | transactions in the payload                           |
/// |          8 |    8 | change count    | row changes in the payload                            |
/// |         16 |    8 | payload size    | bytes before compression                              |
/// |         24 |    4 | index count *n* |                                                       |
/// |         28 |   16 | entry, each     | sequence (8), payload offset of its item (8)          |
/// | 28 + 16*n* |    8 | header checksum | first eight bytes of the BLAKE2b-256 of the header    |
///
/// The index has the first transaction that begins in each stretch of 256 KiB of payload,
/// ascending.
package struct SegmentTrailer {
  struct IndexEntry {
    var sequence: SequenceNumber
    /// The position of the transaction's item in the payload.
    var offset: UInt64

    static let byteCount = 16
  }

  var recordCount: UInt64 = 0
  var changeCount: UInt64 = 0
  var payloadSize: UInt64 = 0

  static let fixedByteCount = 28
  static let checksumByteCount = 8

  /// Whether a file ends with a trailer, whatever comes before it. If so, it has arrived
  /// completely.
  package static func isLast(in file: [UInt8]) -> Bool {
    let magic = withUnsafeBytes(of: LogFormat.trailerFrameMagic.littleEndian) { Array($0) }
    let head = LogFormat.skippableHeadByteCount
    var start = file.count - head - fixedByteCount - checksumByteCount
    while start >= 0 {
      let size = file[(start + magic.count)..<(start + head)].reversed()
        .reduce(0) { $0 << 8 | Int($1) }
      if file[start...].starts(with: magic), start + head + size == file.count { return true }
      start -= 1
    }
    return false
  }

  /// Appends the whole frame 3.
  func encode(
    index: [IndexEntry], headerChecksum: UInt64, into buffer: inout ByteBuffer
  ) throws(LogError) {
    let size = Self.fixedByteCount + index.count * IndexEntry.byteCount + Self.checksumByteCount
    guard let size = UInt32(exactly: size) else {
      throw LogError(
        .limitExceeded, "an index of \(index.count) entries", remedy: "split the segment")
    }
    buffer.append(littleEndian: LogFormat.trailerFrameMagic)
    buffer.append(littleEndian: size)
    buffer.append(littleEndian: recordCount)
    buffer.append(littleEndian: changeCount)
    buffer.append(littleEndian: payloadSize)
    buffer.append(littleEndian: UInt32(index.count))
    for entry in index {
      buffer.append(littleEndian: entry.sequence.rawValue)
      buffer.append(littleEndian: entry.offset)
    }
    buffer.append(bigEndian: headerChecksum)
  }
}
