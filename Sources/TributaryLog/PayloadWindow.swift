import Glibc

/// The stretch of decompressed payload that is being read. Grows only for what has really arrived.
struct PayloadWindow: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: it is noncopyable, so only one owner ever sees the memory.
  private var memory: UnsafeMutableRawPointer
  private(set) var capacity: Int
  private var start = 0
  private var end = 0
  /// The position in the payload of the first byte not used yet.
  private(set) var offset: UInt64 = 0

  /// What must be free for a block to be decompressed in place.
  private static let blockByteCount = LogFormat.blockByteCount
  /// Two blocks: the rest of one, and the next.
  private static let usualCapacity = 2 * blockByteCount

  init() throws(LogError) {
    capacity = Self.usualCapacity
    memory = try Self.resized(nil, to: capacity)
  }

  deinit { free(memory) }

  /// The bytes not used yet.
  var base: UnsafeRawPointer { UnsafeRawPointer(memory + start) }
  var count: Int { end - start }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The memory stays untouched until the next call of `makeRoom`.
  mutating func consume(_ count: Int) {
    start += count
    offset += UInt64(count)
  }

  /// Free space for one block behind what is there.
  ///
  /// - Parameter wanted: how many bytes, at least, the item will take that is being read.
  mutating func makeRoom(wanted: Int) throws(LogError) -> UnsafeMutableRawBufferPointer {
    if capacity - end < Self.blockByteCount {
      let count = self.count
      if start > 0 {
        memory.copyMemory(from: memory + start, byteCount: count)
        (start, end) = (0, count)
      }
      let least = count + Self.blockByteCount
      if least > capacity {
        // Twice as much, but not more than is known to be of use.
        let useful = min(wanted, .max - Self.blockByteCount) + Self.blockByteCount
        try resize(to: max(least, min(capacity * 2, useful)))
      } else if capacity > 4 * Self.usualCapacity, max(least, wanted) < capacity / 4 {
        try resize(to: max(least, Self.usualCapacity))
      }
    }
    return UnsafeMutableRawBufferPointer(start: memory + end, count: Self.blockByteCount)
  }

  mutating func advance(by made: Int) { end += made }

  /// Gives the memory back that an unusually large item took.
  mutating func trim() {
    let count = self.count
    guard capacity > 4 * Self.usualCapacity, count + Self.blockByteCount < capacity / 4 else {
      return
    }
    memory.copyMemory(from: memory + start, byteCount: count)
    (start, end) = (0, count)
    // What cannot be given back now, a later item may use.
    try? resize(to: max(count + Self.blockByteCount, Self.usualCapacity))
  }

  private mutating func resize(to size: Int) throws(LogError) {
    // The kernel moves the pages of a large one instead of copying it.
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
