import TributaryCore

/// Compares the trailer with the totals of the payload, piece by piece, without holding its index.
struct TrailerCheck: ~Copyable {
  private enum Phase {
    case head
    case index(left: UInt32)
    /// Bytes that a newer minor version put before the checksum.
    case unknown(left: UInt32)
    case checksum
    case end
  }

  private var phase = Phase.head
  private var unknownCount: UInt32 = 0
  /// The expected index. Only its hash is kept, so a huge payload takes no memory.
  private var expectedIndex = SegmentHash()
  private var expectedIndexCount: UInt64 = 0
  private var foundIndex: SegmentHash? = SegmentHash()

  /// Adds the next entry that the index must contain.
  mutating func expect(_ entry: SegmentTrailer.IndexEntry) {
    withUnsafeBytes(of: (entry.sequence.rawValue.littleEndian, entry.offset.littleEndian)) {
      expectedIndex.update($0)
    }
    expectedIndexCount += 1
  }

  /// Checks the bytes that have arrived.
  ///
  /// - Parameter expected: the totals of the payload.
  /// - Returns: whether the file was read to its end and is correct; otherwise more input is
  ///   needed.
  mutating func advance(
    over input: inout InputBuffer, expected: SegmentTrailer, headerChecksum: UInt64,
    version: FormatVersion
  ) throws(LogError) -> Bool {
    while true {
      let position = input.offset
      switch phase {
      case .head:
        let size = LogFormat.skippableHeadByteCount + SegmentTrailer.fixedByteCount
        guard try has(size, in: input) else { return false }
        do throws(LogError) {
          let left = try checkHead(input.bytes, expected: expected, version: version)
          phase = .index(left: left)
        } catch { throw error.moved(by: position, in: .file) }
        input.consume(size)
      case .index(left: 0):
        guard foundIndex.take()?.finish() == takeExpectedIndex() else {
          throw LogError(
            .malformed, "the index does not match the payload", at: position, in: .file)
        }
        phase = .unknown(left: unknownCount)
      case .index(let left):
        guard try has(SegmentTrailer.IndexEntry.byteCount, in: input) else { return false }
        let count = min(Int(left), input.count / SegmentTrailer.IndexEntry.byteCount)
        let size = count * SegmentTrailer.IndexEntry.byteCount
        foundIndex?.update(UnsafeRawBufferPointer(rebasing: input.bytes[..<size]))
        input.consume(size)
        phase = .index(left: left - UInt32(count))
      case .unknown(left: 0): phase = .checksum
      case .unknown(let left):
        guard try has(1, in: input) else { return false }
        let count = min(Int(left), input.count)
        input.consume(count)
        phase = .unknown(left: left - UInt32(count))
      case .checksum:
        guard try has(SegmentTrailer.checksumByteCount, in: input) else { return false }
        let found = UInt64(bigEndian: input.bytes.loadUnaligned(as: UInt64.self))
        guard found == headerChecksum else {
          throw LogError(
            .damaged, "the checksum of the header does not match", at: position, in: .file)
        }
        input.consume(SegmentTrailer.checksumByteCount)
        phase = .end
      case .end:
        guard input.count == 0 else {
          throw LogError(.malformed, "bytes follow the trailer", at: position, in: .file)
        }
        return input.hasEnded
      }
    }
  }

  private func has(_ count: Int, in input: borrowing InputBuffer) throws(LogError) -> Bool {
    if input.count >= count { return true }
    guard !input.hasEnded else {
      throw LogError(
        .truncated, "the file ends before its trailer does", at: input.received, in: .file)
    }
    return false
  }

  /// Checks the head of the trailer.
  ///
  /// - Returns: the number of index entries that follow.
  private mutating func checkHead(
    _ bytes: UnsafeRawBufferPointer, expected: SegmentTrailer, version: FormatVersion
  ) throws(LogError) -> UInt32 {
    var cursor = ByteCursor(bytes)
    guard try cursor.littleEndian(UInt32.self) == LogFormat.trailerFrameMagic else {
      throw LogError(.malformed, "the payload is not followed by the trailer", at: 0)
    }
    let size = UInt64(try cursor.littleEndian(UInt32.self))
    let found = SegmentTrailer(
      recordCount: try cursor.littleEndian(), changeCount: try cursor.littleEndian(),
      payloadSize: try cursor.littleEndian())
    guard found.recordCount == expected.recordCount, found.changeCount == expected.changeCount,
      found.payloadSize == expected.payloadSize
    else { throw LogError(.malformed, "the counts of the trailer do not match the payload", at: 8) }
    let count = try cursor.littleEndian(UInt32.self)
    guard count == expectedIndexCount else {
      throw LogError(
        .malformed, "an index of \(count) entries instead of \(expectedIndexCount)", at: 32)
    }
    let known =
      UInt64(SegmentTrailer.fixedByteCount + SegmentTrailer.checksumByteCount)
      + UInt64(count) * UInt64(SegmentTrailer.IndexEntry.byteCount)
    guard size == known || (size > known && version > .current) else {
      throw LogError(.malformed, "a trailer of \(size) bytes instead of \(known)", at: 4)
    }
    unknownCount = UInt32(size - known)
    return count
  }

  private mutating func takeExpectedIndex() -> UInt64 {
    var hash = SegmentHash()
    swap(&hash, &expectedIndex)
    return hash.finish()
  }
}
