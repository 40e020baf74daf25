import Glibc

/// The part of the decompressed payload that is being read. It grows only for bytes that have
/// really arrived.
struct PayloadWindow: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: the type is noncopyable, so only one owner ever sees the
  // memory.
  private var memory: UnsafeMutableRawPointer
  private(set) var capacity: Int
  private var start = 0
  private var end = 0
  /// The position in the payload of the first byte that is not consumed.
  private(set) var offset: UInt64 = 0

  /// The free space needed to decompress a block in place.
  private static let blockByteCount = LogFormat.blockByteCount
  /// Two blocks: the rest of one, and the next.
  private static let usualCapacity = 2 * blockByteCount

  init() throws(LogError) {
    capacity = Self.usualCapacity
    memory = try Self.resized(nil, to: capacity)
  }

  deinit { free(memory) }

  /// The bytes that are not consumed yet.
  var base: UnsafeRawPointer { UnsafeRawPointer(memory + start) }
  var count: Int { end - start }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Marks bytes as consumed. The memory stays untouched until the next call of `makeRoom`.
  mutating func consume(_ count: Int) {
    start += count
    offset += UInt64(count)
  }

  /// Makes free space for one block after the current bytes.
  ///
  /// - Parameter wanted: the smallest number of bytes that the item being read will take.
  mutating func makeRoom(wanted: Int) throws(LogError) -> UnsafeMutableRawBufferPointer {
    if capacity - end < Self.blockByteCount {
      let count = self.count
      if start > 0 {
        memory.copyMemory(from: memory + start, byteCount: count)
        (start, end) = (0, count)
      }
      let least = count + Self.blockByteCount
      if least > capacity {
        // Twice as much, but no more than is known to be useful.
        let useful = min(wanted, .max - Self.blockByteCount) + Self.blockByteCount
        try resize(to: max(least, min(capacity * 2, useful)))
      } else if capacity > 4 * Self.usualCapacity, max(least, wanted) < capacity / 4 {
        try resize(to: max(least, Self.usualCapacity))
      }
    }
    return UnsafeMutableRawBufferPointer(start: memory + end, count: Self.blockByteCount)
  }

  mutating func advance(by made: Int) { end += made }

  /// Releases the memory that an unusually large item took.
  mutating func trim() {
    let count = self.count
    guard capacity > 4 * Self.usualCapacity, count + Self.blockByteCount < capacity / 4 else {
      return
    }
    memory.copyMemory(from: memory + start, byteCount: count)
    (start, end) = (0, count)
    // A later item may use memory that cannot be released now.
    try? resize(to: max(count + Self.blockByteCount, Self.usualCapacity))
  }

  private mutating func resize(to size: Int) throws(LogError) {
    // The kernel moves the pages of a large allocation instead of copying it.
    memory = try Self.resized(memory, to: size)
    capacity = size
  }

  private static func resized(
    _ memory: UnsafeMutableRawPointer?, to size: Int
  ) throws(LogError) -> UnsafeMutableRawPointer {
    guard let resized = realloc(memory, size) else {
      throw LogError(
        .limitExceeded, "there is no memory for \(size) bytes", remedy: "free memory and try again")
    }
    return resized
  }
}
