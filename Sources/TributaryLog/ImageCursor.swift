/// Decodes the values of a row image one at a time, from borrowed bytes.
///
/// The image must outlive the cursor and the values that it returns.
@usableFromInline @frozen package struct ImageCursor {
  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let count: Int

  /// The number of columns that remain of a run of unchanged columns.
  @usableFromInline var absentLeft = 0

  @usableFromInline var position = 0

  /// The position of the next value, in bytes; inside a run of unchanged columns, the end of the
  /// run.
  @inlinable package var offset: Int { position }

  @inlinable package init(_ image: UnsafeRawBufferPointer) {
    // An empty buffer may have no address; nothing is ever read from the placeholder.
    base = image.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    count = image.count
  }

  /// Whether every value has been returned.
  @inlinable package var isAtEnd: Bool { position == count && absentLeft == 0 }

  /// Returns the next value; each column in a run of unchanged ones is returned separately.
  ///
  /// - Throws: `truncated` after the last value or inside one, `malformed` for NaN and for numbers
  ///   that the format does not define.
  @inlinable package mutating func next() throws(LogError) -> ValueView {
    if absentLeft > 0 {
      absentLeft -= 1
      return .absent
    }
    guard position < count else { throw ImageCursor.truncated(at: position) }
    let start = position
    var type = UInt64(base.load(fromByteOffset: position, as: UInt8.self))
    if type < 0x80 { position += 1 } else { type = try number() }
    if type >= 12 {
      let length = Int(truncatingIfNeeded: (type &- 12) >> 1)
      guard length <= count - position else { throw ImageCursor.truncated(at: start) }
      let bytes = UnsafeRawBufferPointer(start: base + position, count: length)
      position += length
      return type & 1 == 0 ? .blob(bytes) : .text(bytes)
    }
    switch type {
    case 0: return .null
    case 1: return .integer(Int64(try load(Int8.self)))
    case 2: return .integer(Int64(try load(Int16.self)))
    case 3: return .integer(Int64(try load(Int8.self)) << 16 | Int64(try load(UInt16.self)))
    case 4: return .integer(Int64(try load(Int32.self)))
    case 5: return .integer(Int64(try load(Int16.self)) << 32 | Int64(try load(UInt32.self)))
    case 6: return .integer(try load(Int64.self))
    case 7:
      let real = Double(bitPattern: try load(UInt64.self))
      guard !real.isNaN else { throw ImageCursor.notANumber(at: start) }
      return .real(real)
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 10: return .absent
    default:
      let run = try number()
      guard run >= 2, run <= 32767 else { throw ImageCursor.badRun(at: start) }
      absentLeft = Int(run) - 1
      return .absent
    }
  }

  /// Reads a big-endian integer.
  @inlinable mutating func load<Number: FixedWidthInteger>(
    _ type: Number.Type
  ) throws(LogError) -> Number {
    guard MemoryLayout<Number>.size <= count - position else {
      throw ImageCursor.truncated(at: position)
    }
    let number = base.loadUnaligned(fromByteOffset: position, as: Number.self)
    position += MemoryLayout<Number>.size
    return Number(bigEndian: number)
  }

  @usableFromInline @inline(never) mutating func number() throws(LogError) -> UInt64 {
    switch VariableNumber.read(base, from: position, to: count) {
    case .value(let value, let end):
      position = end
      return value
    case .incomplete: throw ImageCursor.truncated(at: position)
    case .malformed:
      throw LogError(.malformed, "a number is not in its shortest form", at: UInt64(position))
    }
  }

  @usableFromInline @inline(never) static func truncated(at offset: Int) -> LogError {
    LogError(.truncated, "a row image ends inside a value", at: UInt64(offset))
  }

  @usableFromInline @inline(never) static func notANumber(at offset: Int) -> LogError {
    LogError(.malformed, "a real value is not a number", at: UInt64(offset))
  }

  @usableFromInline @inline(never) static func badRun(at offset: Int) -> LogError {
    LogError(.malformed, "an impossible run of unchanged columns", at: UInt64(offset))
  }
}
