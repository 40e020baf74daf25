import TributaryCore
import TributaryLog

/// The three frames of a segment's file, to be combined freely.
package struct SegmentFrames: Equatable {
  package var header: [UInt8]
  package var payload: [UInt8]
  package var trailer: [UInt8]

  /// The magic numbers of the first frame and of the last.
  package static let headerMagic: UInt32 = 0x184D_2A50
  package static let trailerMagic: UInt32 = 0x184D_2A51

  package init(header: [UInt8], payload: [UInt8], trailer: [UInt8]) {
    self.header = header
    self.payload = payload
    self.trailer = trailer
  }

  /// Splits a file.
  ///
  /// - Precondition: a writer has made the file.
  /// - Parameter indexCount: the number of entries of its index: one for each stretch of 256 KiB of payload
  ///   in which a transaction begins.
  package init(_ bytes: [UInt8], indexCount: Int = 1) {
    let size = (0..<4).reduce(0) { $0 | Int(bytes[4 + $1]) << (8 * $1) }
    let trailerStart = bytes.count - (8 + 28 + 16 * indexCount + 8)
    header = Array(bytes[..<(8 + size)])
    payload = Array(bytes[(8 + size)..<trailerStart])
    trailer = Array(bytes[trailerStart...])
  }

  /// The whole file.
  package var bytes: [UInt8] { header + payload + trailer }

  /// Returns a frame that LZ4 skips.
  package static func skippable(_ magic: UInt32, _ content: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(littleEndian: magic)
    buffer.append(littleEndian: UInt32(content.count))
    buffer.append(contentsOf: content)
    return Array(buffer.bytes)
  }

  /// Returns the frame of any payload.
  package static func compressed(_ payload: [UInt8]) throws(LogError) -> [UInt8] {
    var compressor = try FrameCompressor(level: 0)
    var output = ByteBuffer()
    try compressor.begin(into: &output)
    let block = 256 << 10
    for start in stride(from: 0, to: payload.count, by: block) {
      let piece = Array(payload[start..<min(start + block, payload.count)])
      try piece.span.bytes.withUnsafeBytes { (bytes) throws(LogError) in
        try compressor.update(bytes, into: &output)
      }
    }
    try compressor.end(into: &output)
    return Array(output.bytes)
  }

  /// Returns the checksum of the header's content, as a trailer contains it.
  package static func checksum(_ content: [UInt8]) -> [UInt8] {
    let hash = content.withUnsafeBytes { SegmentHash.hash($0) }
    return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
  }

  /// Returns the same frames with another header, framed and with its checksum in the trailer.
  package func replacingHeader(with content: [UInt8]) -> SegmentFrames {
    SegmentFrames(
      header: Self.skippable(Self.headerMagic, content), payload: payload,
      trailer: trailer.dropLast(8) + Self.checksum(content))
  }
}
