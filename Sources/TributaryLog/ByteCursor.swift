import TributaryCore

/// Reads fields from borrowed bytes, never past their end.
///
/// Running out of bytes throws `truncated`; anything else that is wrong throws another code. So a
/// caller that can get more bytes knows when to try again.
@usableFromInline package struct ByteCursor {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var offset: Int

  package init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  @inlinable package var remaining: Int { bytes.count - offset }

  package mutating func byte() throws(LogError) -> UInt8 {
    guard offset < bytes.count else { throw truncated() }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a fixed-size integer, least significant byte first.
  @inlinable package mutating func littleEndian<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(LogError) -> Number {
    guard MemoryLayout<Number>.size <= remaining else { throw truncated() }
    defer { offset += MemoryLayout<Number>.size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Reads a variable-length number.
  package mutating func variable() throws(LogError) -> UInt64 {
    guard let base = bytes.baseAddress else { throw truncated() }
    switch VariableNumber.read(base, from: offset, to: bytes.count) {
    case .value(let value, let end):
      offset = end
      return value
    case .incomplete: throw truncated()
    case .malformed:
      throw failure(.malformed, "a number is over 64 bits or not in its shortest form")
    }
  }

  /// Reads a variable-length number that the author gave to a schema or a shape.
  mutating func identifier() throws(LogError) -> UInt32 {
    let start = offset
    let number = try variable()
    guard let id = UInt32(exactly: number) else {
      offset = start
      throw failure(.malformed, "an id over 32 bits")
    }
    return id
  }

  package mutating func count(upTo maximum: Int, of what: StaticString) throws(LogError) -> Int {
    let start = offset
    let number = try variable()
    guard number <= UInt64(maximum) else {
      offset = start
      throw failure(.limitExceeded, "\(number) \(what), at most \(maximum) are allowed")
    }
    return Int(number)
  }

  /// Reads a name, preceded by its length.
  mutating func name() throws(LogError) -> String {
    try text(byteCount: try count(upTo: LogFormat.maximumNameByteCount, of: "bytes of a name"))
  }

  /// Reads exactly `count` bytes of UTF-8.
  package mutating func text(byteCount count: Int) throws(LogError) -> String {
    guard count <= remaining else { throw truncated() }
    guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
      throw failure(.malformed, "a name is not UTF-8")
    }
    offset += count
    return text
  }

  package mutating func peer() throws(LogError) -> PeerIdentity {
    guard PeerIdentity.byteCount <= remaining,
      let peer = PeerIdentity(bytes: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
    else { throw truncated() }
    offset += PeerIdentity.byteCount
    return peer
  }

  @usableFromInline package func truncated() -> LogError {
    failure(.truncated, "the bytes end too early")
  }

  package func failure(_ code: LogError.Code, _ message: String) -> LogError {
    LogError(code, message, at: UInt64(offset))
  }
}
