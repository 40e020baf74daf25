import TributaryCore

/// The writing of changes. Capture calls it for each column of each row. Only the buffer's own
/// growth allocates.
///
/// A value is its SQLite serial type as a variable-length number, directly followed by its content:
///
/// | Type       | Content                                                        |
/// |------------|----------------------------------------------------------------|
/// | 0          | NULL; none                                                     |
/// | 1 … 6      | integer of 1, 2, 3, 4, 6, 8 bytes, big-endian two's complement |
/// | 7          | IEEE 754 double, big-endian                                    |
/// | 8, 9       | the integers 0 and 1; none                                     |
/// | 10         | one unchanged column (updates only); none                      |
/// | 11         | a run of unchanged columns: their number, at least 2           |
/// | N ≥ 12 even | blob of (N − 12) / 2 bytes                                    |
/// | N ≥ 13 odd  | text of (N − 13) / 2 bytes                                    |
extension ByteBuffer {
  @inlinable package mutating func appendNull() { append(0 as UInt8) }

  /// Appends an integer in its smallest form.
  @inlinable package mutating func appendInteger(_ value: Int64) {
    // The significant bits, without the sign.
    let magnitude = value ^ (value >> 63)
    let type: UInt8
    let size: Int
    if magnitude < 1 << 7 {
      if value == 0 || value == 1 { return append(8 + UInt8(truncatingIfNeeded: value)) }
      (type, size) = (1, 1)
    } else if magnitude < 1 << 15 {
      (type, size) = (2, 2)
    } else if magnitude < 1 << 23 {
      (type, size) = (3, 3)
    } else if magnitude < 1 << 31 {
      (type, size) = (4, 4)
    } else if magnitude < 1 << 47 {
      (type, size) = (5, 6)
    } else {
      (type, size) = (6, 8)
    }
    let place = reserve(9)
    place.storeBytes(of: type, as: UInt8.self)
    // Left-aligned, so that the most significant used byte comes first. The next value overwrites
    // what is stored behind the last used byte.
    let aligned = value << Int64(64 - 8 * size)
    place.storeBytes(of: aligned.bigEndian, toByteOffset: 1, as: Int64.self)
    advance(by: 1 + size)
  }

  /// Appends a double; NaN becomes NULL, as in SQLite.
  @inlinable package mutating func appendReal(_ value: Double) {
    guard !value.isNaN else { return appendNull() }
    let place = reserve(9)
    place.storeBytes(of: 7, as: UInt8.self)
    place.storeBytes(of: value.bitPattern.bigEndian, toByteOffset: 1, as: UInt64.self)
    advance(by: 9)
  }

  /// Appends text with any bytes.
  ///
  /// - Parameter start: may be `nil` when `count` is 0.
  @inlinable package mutating func appendText(_ start: UnsafeRawPointer?, count: Int) {
    append(variable: UInt64(count) &* 2 &+ 13)
    if count > 0, let start { append(start, count: count) }
  }

  /// Appends a blob.
  ///
  /// - Parameter start: may be `nil` when `count` is 0.
  @inlinable package mutating func appendBlob(_ start: UnsafeRawPointer?, count: Int) {
    append(variable: UInt64(count) &* 2 &+ 12)
    if count > 0, let start { append(start, count: count) }
  }

  /// Appends `count` unchanged columns of an update; nothing when it is 0.
  @inlinable package mutating func appendAbsent(count: Int) {
    if count == 1 {
      append(10 as UInt8)
    } else if count > 1 {
      append(11 as UInt8)
      append(variable: UInt64(count))
    }
  }

  @usableFromInline package mutating func append(_ value: Value) {
    switch value {
    case .null: appendNull()
    case .integer(let integer): appendInteger(integer)
    case .real(let real): appendReal(real)
    case .text(let bytes): bytes.withUnsafeBytes { appendText($0.baseAddress, count: $0.count) }
    case .blob(let bytes): bytes.withUnsafeBytes { appendBlob($0.baseAddress, count: $0.count) }
    }
  }

  @inlinable package mutating func append(_ view: ValueView) {
    switch view.kind {
    case .null: appendNull()
    case .integer: appendInteger(view.integer)
    case .real: appendReal(view.real)
    case .text: appendText(view.bytes.baseAddress, count: view.bytes.count)
    case .blob: appendBlob(view.bytes.baseAddress, count: view.bytes.count)
    case .absent: appendAbsent(count: 1)
    }
  }

  /// Appends the head of an insert, update or delete item; the values of the row image follow.
  @inlinable package mutating func appendChangeHead(
    _ operation: ChangeOperation, shape id: UInt32
  ) {
    append(operation.rawValue)
    append(variable: UInt64(id))
  }
}
