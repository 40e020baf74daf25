internal import CLZ4
import TributaryCore

/// Makes one LZ4 frame with linked 256 KiB blocks, block checksums, a content checksum and no
/// content size.
package struct FrameCompressor: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: the type is noncopyable, so only one owner ever uses the
  // context.
  private let context: OpaquePointer
  private var preferences = LZ4F_preferences_t()

  /// Makes a compressor.
  ///
  /// - Parameter level: 0 is fast; 3 to 12 are slower and make smaller files.
  package init(level: Int) throws(LogError) {
    var created: OpaquePointer?
    let result = LZ4F_createCompressionContext(&created, UInt32(LZ4F_VERSION))
    guard LZ4F_isError(result) == 0, let created else {
      throw LogError(.write, "LZ4F_createCompressionContext failed")
    }
    context = created
    preferences.frameInfo.blockSizeID = LZ4F_max256KB
    preferences.frameInfo.blockMode = LZ4F_blockLinked
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled
    preferences.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled
    preferences.compressionLevel = Int32(clamping: level)
  }

  deinit { LZ4F_freeCompressionContext(context) }

  /// Appends the frame's header.
  package mutating func begin(into output: inout ByteBuffer) throws(LogError) {
    // The size of the largest possible frame header, rounded up.
    let room = 32
    let place = output.reserve(room)
    output.advance(
      by: try check(LZ4F_compressBegin(context, place, room, &preferences), "LZ4F_compressBegin"))
  }

  /// Compresses a piece.
  package mutating func update(
    _ bytes: UnsafeRawBufferPointer, into output: inout ByteBuffer
  ) throws(LogError) {
    let room = LZ4F_compressBound(bytes.count, &preferences)
    let place = output.reserve(room)
    output.advance(
      by: try check(
        LZ4F_compressUpdate(context, place, room, bytes.baseAddress, bytes.count, nil),
        "LZ4F_compressUpdate"))
  }

  /// Appends the remaining output and the end of the frame.
  package mutating func end(into output: inout ByteBuffer) throws(LogError) {
    let room = LZ4F_compressBound(0, &preferences)
    let place = output.reserve(room)
    output.advance(
      by: try check(LZ4F_compressEnd(context, place, room, nil), "LZ4F_compressEnd"))
  }

  private func check(_ result: Int, _ function: StaticString) throws(LogError) -> Int {
    guard LZ4F_isError(result) == 0 else {
      throw LogError(.write, "\(function) failed: \(String(cString: LZ4F_getErrorName(result)))")
    }
    return result
  }
}
