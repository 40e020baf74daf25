import TributaryCore

/// Reads a baseline from a source, in one pass and in bounded memory, whatever the bytes are.
///
/// Only when `next()` has returned `nil` is the file known to be intact; until then, the caller must not keep
/// anything permanently. The returned bytes are a database made by another device, and must be opened as
/// untrusted.
package struct BaselineReader<Source: ByteSource & ~Copyable>: ~Copyable {
  package let header: BaselineHeader
  private var source: Source
  private var input: InputBuffer
  private var decompressor: FrameDecompressor
  private var block = ByteBuffer(capacity: LogFormat.blockByteCount)
  private var hasBegun = false
  private var isFinished = false
  /// The number of bytes returned so far.
  package private(set) var byteCount: UInt64 = 0
  /// The content hash, as in the file's name; `nil` before `next()` has returned `nil`, and if the reader
  /// does not compute it.
  package private(set) var contentHash: UInt64?

  /// Reads and checks the header.
  ///
  /// - Parameter isHashing: whether to compute the content hash.
  /// - Throws: ``LogError``; what the source throws.
  package init(source: consuming Source, isHashing: Bool = true) throws {
    var source = source
    var input = InputBuffer(hashing: isHashing)
    let header = try Self.readHeader(from: &source, &input)
    let decompressor = try FrameDecompressor()
    self.header = header
    self.source = source
    self.input = input
    self.decompressor = decompressor
  }

  private static func readHeader(
    from source: inout Source, _ input: inout InputBuffer
  ) throws -> BaselineHeader {
    while true {
      switch try BaselineHeader.frame.read(
        prefix: input.bytes, decode: BaselineHeader.init(decoding:))
      {
      case .header(let header, let byteCount):
        input.consume(byteCount)
        return header
      case .needs:
        guard !input.hasEnded else {
          throw LogError(
            .truncated, "the file ends inside its header", at: input.received, in: .file)
        }
        try input.fill { try source.read(into: $0) }
      }
    }
  }

  /// Returns the next bytes of the database, borrowed until the next call.
  ///
  /// - Returns: `nil` if the file was read to its end and is intact.
  /// - Throws: ``LogError``; what the source throws.
  package mutating func next() throws -> UnsafeRawBufferPointer? {
    while try !hasBegun && !input.hasPayloadFrame() { try fill() }
    hasBegun = true
    while !decompressor.isFinished {
      // LZ4 would keep a copy of an incomplete block.
      while !input.hasEnded, input.count < decompressor.wanted { try fill() }
      guard input.count > 0 else {
        throw LogError(
          .truncated, "the file ends inside its payload", at: input.received, in: .file)
      }
      let made = try decode()
      if made > 0 { return UnsafeRawBufferPointer(start: block.reserve(0), count: made) }
    }
    try finish()
    return nil
  }

  /// Decompresses at most one block.
  private mutating func decode() throws(LogError) -> Int {
    let place = block.reserve(LogFormat.blockByteCount)
    let start = input.offset
    do throws(LogError) {
      let (taken, made) = try decompressor.decode(
        input.bytes,
        into: UnsafeMutableRawBufferPointer(start: place, count: LogFormat.blockByteCount))
      input.consume(taken)
      byteCount += UInt64(made)
      guard byteCount <= header.databaseSize else {
        throw LogError(.malformed, "the database has more than \(header.databaseSize) bytes")
      }
      return made
    } catch { throw error.moved(by: start, in: .file) }
  }

  private mutating func finish() throws {
    guard !isFinished else { return }
    while !input.hasEnded {
      guard input.count == 0 else { break }
      try fill()
    }
    guard input.count == 0 else {
      throw LogError(.malformed, "bytes follow the payload", at: input.offset, in: .file)
    }
    guard byteCount == header.databaseSize else {
      throw LogError(
        .malformed, "a database of \(byteCount) bytes instead of \(header.databaseSize)",
        at: input.received, in: .file)
    }
    isFinished = true
    contentHash = input.takeHash()
  }

  private mutating func fill() throws { try input.fill { try source.read(into: $0) } }
}

extension BaselineReader: Sendable where Source: Sendable & ~Copyable {}
