import TributaryCore

/// The bytes of the file that have arrived but are not consumed yet.
struct InputBuffer: ~Copyable {
  private static let stepByteCount = 128 << 10

  private var buffer = ByteBuffer(capacity: stepByteCount)
  private var start = 0
  /// The position in the file of the first byte that is not consumed.
  private(set) var offset: UInt64 = 0
  /// Whether the source has no more bytes.
  private(set) var hasEnded = false
  private var hash: SegmentHash?
  /// The largest amount of memory used so far, in bytes.
  private(set) var peak = stepByteCount

  /// Makes an empty buffer.
  ///
  /// - Parameter hashing: whether to compute the content hash.
  init(hashing: Bool) {
    if hashing { hash = SegmentHash() }
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
  }

  var count: Int { buffer.count - start }

  /// The number of bytes that have arrived so far.
  var received: UInt64 { offset + UInt64(count) }

  mutating func consume(_ count: Int) {
    start += count
    offset += UInt64(count)
    if start == buffer.count {
      buffer.removeAll()
      start = 0
    }
  }

  /// Lets `read` fill the space after the current bytes. 0 bytes mean the end.
  mutating func fill<Failure: Error>(
    _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    if start > 0 {
      let rest = bytes
      buffer.removeAll()
      // The ranges may overlap, which `copyMemory` permits.
      buffer.reserve(rest.count).copyMemory(
        from: rest.baseAddress.unsafelyUnwrapped, byteCount: rest.count)
      buffer.advance(by: rest.count)
      start = 0
    }
    let space = Self.stepByteCount
    let place = buffer.reserve(space)
    peak = max(peak, buffer.count + space)
    let count = try read(UnsafeMutableRawBufferPointer(start: place, count: space))
    precondition((0...space).contains(count), "a source read more than it was given room for")
    hasEnded = count == 0
    hash?.update(UnsafeRawBufferPointer(start: place, count: count))
    buffer.advance(by: count)
  }

  /// Returns the content hash of all bytes received; `nil` if it was not requested, or was taken
  /// before.
  mutating func takeHash() -> UInt64? {
    switch hash.take() {
    case .some(let hash): hash.finish()
    case .none: nil
    }
  }
}
