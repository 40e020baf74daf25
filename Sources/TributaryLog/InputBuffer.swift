import TributaryCore

/// Bytes of the file that have arrived and were not used yet.
struct InputBuffer: ~Copyable {
  private static let stepByteCount = 128 << 10

  private var buffer = ByteBuffer(capacity: stepByteCount)
  private var start = 0
  /// The position in the file of the first byte not used yet.
  private(set) var offset: UInt64 = 0
  /// Whether the source has no more.
  private(set) var hasEnded = false
  private var hash: SegmentHash?
  /// The most memory that was in use, in bytes.
  private(set) var peak = stepByteCount

  /// - Parameter hashing: whether the content hash is wanted.
  init(hashing: Bool) {
    if hashing { hash = SegmentHash() }
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
  }

  var count: Int { buffer.count - start }

  /// All the bytes that have arrived so far.
  var received: UInt64 { offset + UInt64(count) }

  mutating func consume(_ count: Int) {
    start += count
    offset += UInt64(count)
    if start == buffer.count {
      buffer.removeAll()
      start = 0
    }
  }

  /// Lets `read` fill the space behind what is there; 0 read means the end.
  mutating func fill<Failure: Error>(
    _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    if start > 0 {
      let rest = bytes
      buffer.removeAll()
      // The ranges may overlap, which this permits.
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

  /// The content hash of all that was received; `nil` when it was not wanted, or was asked for
  /// before.
  mutating func takeHash() -> UInt64? {
    switch hash.take() {
    case .some(let hash): hash.finish()
    case .none: nil
    }
  }
}
