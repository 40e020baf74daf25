/// A buffer of bytes that grows at the end, in raw memory: no reference counting and no bounds
/// checks on the row path.
@usableFromInline package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: the type is noncopyable, so only one owner ever sees the
  // memory.
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var room: Int

  @usableFromInline var used = 0

  /// The number of bytes written.
  @inlinable package var count: Int { used }

  @inlinable package init(capacity: Int = 256) {
    room = max(capacity, 16)
    base = .allocate(byteCount: room, alignment: 16)
  }

  @inlinable deinit { base.deallocate() }

  /// The bytes written so far; valid until the next change.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: used)
  }

  @inlinable package var isEmpty: Bool { used == 0 }

  /// Discards everything written and keeps the memory.
  @inlinable package mutating func removeAll() { used = 0 }

  /// Discards everything written after the first `count` bytes.
  @inlinable package mutating func truncate(to count: Int) {
    precondition(count <= used)
    used = count
  }

  /// Makes room for `extra` more bytes and returns where they go. Call `advance(by:)` afterwards to
  /// count them.
  @inlinable package mutating func reserve(_ extra: Int) -> UnsafeMutableRawPointer {
    if used + extra > room { grow(by: extra) }
    return base + used
  }

  @inlinable package mutating func advance(by written: Int) {
    used += written
    assert(used <= room)
  }

  @usableFromInline mutating func grow(by extra: Int) {
    let larger = max(room * 2, used + extra)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    memory.copyMemory(from: base, byteCount: used)
    base.deallocate()
    base = memory
    room = larger
  }

  @inlinable package mutating func append(_ byte: UInt8) {
    reserve(1).storeBytes(of: byte, as: UInt8.self)
    used += 1
  }

  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    append(start, count: bytes.count)
  }

  @inlinable package mutating func append(_ start: UnsafeRawPointer, count: Int) {
    reserve(count).copyMemory(from: start, byteCount: count)
    used += count
  }

  @inlinable package mutating func append(contentsOf bytes: some Sequence<UInt8>) {
    for byte in bytes { append(byte) }
  }

  /// Appends an integer, least significant byte first.
  @inlinable package mutating func append(littleEndian value: some FixedWidthInteger) {
    let ordered = value.littleEndian
    reserve(MemoryLayout.size(ofValue: ordered)).storeBytes(of: ordered, as: type(of: ordered))
    used += MemoryLayout.size(ofValue: ordered)
  }

  /// Appends an integer, most significant byte first.
  @inlinable package mutating func append(bigEndian value: some FixedWidthInteger) {
    let ordered = value.bigEndian
    reserve(MemoryLayout.size(ofValue: ordered)).storeBytes(of: ordered, as: type(of: ordered))
    used += MemoryLayout.size(ofValue: ordered)
  }

  /// Appends an unsigned LEB128 number: seven bits a byte, least significant first, at most ten
  /// bytes.
  @inlinable package mutating func append(variable value: UInt64) {
    var rest = value
    let start = reserve(10)
    var length = 0
    while rest >= 0x80 {
      start.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: length, as: UInt8.self)
      rest >>= 7
      length += 1
    }
    start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: length, as: UInt8.self)
    used += length + 1
  }
}
