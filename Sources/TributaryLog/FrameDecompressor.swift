internal import CLZ4

/// Reads one LZ4 frame, block by block.
struct FrameDecompressor: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: the type is noncopyable, so only one owner ever uses the
  // context.
  private let context: OpaquePointer
  /// The number of bytes up to the end of the block: given exactly these, LZ4 decodes the block in
  /// place.
  private(set) var wanted = 7

  /// Whether the frame was read to its end and its content checksum matched.
  private(set) var isFinished = false

  init() throws(LogError) {
    var created: OpaquePointer?
    let result = LZ4F_createDecompressionContext(&created, UInt32(LZ4F_VERSION))
    guard LZ4F_isError(result) == 0, let created else {
      throw LogError(.write, "LZ4F_createDecompressionContext failed")
    }
    context = created
  }

  deinit { LZ4F_freeDecompressionContext(context) }

  /// Decodes from the start of `input` to the start of `output`, at most one block.
  ///
  /// - Returns: the numbers of bytes consumed and produced. Nothing beyond the frame is consumed.
  mutating func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(LogError) -> (taken: Int, made: Int) {
    var taken = min(input.count, wanted)
    var made = output.count
    let result = LZ4F_decompress(
      context, output.baseAddress, &made, input.baseAddress, &taken, nil)
    guard LZ4F_isError(result) == 0 else {
      throw LogError(
        .damaged, "the payload does not decompress: \(String(cString: LZ4F_getErrorName(result)))")
    }
    isFinished = result == 0
    wanted = result
    return (taken, made)
  }
}
