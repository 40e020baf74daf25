import TributaryCore

extension SegmentHeader {
  /// Returns the content of frame 1.
  ///
  /// - Throws: `malformed` or `limitExceeded` for what the format does not allow.
  public func encoded() throws(LogError) -> [UInt8] {
    try check()
    try LogError.checkKnowledge(count: knowledge.entries.count)
    var buffer = ByteBuffer()
    buffer.append(contentsOf: LogFormat.magic)
    buffer.append(littleEndian: FormatVersion.current.major)
    buffer.append(littleEndian: FormatVersion.current.minor)
    buffer.append(littleEndian: 0 as UInt32)
    buffer.append(peer)
    for number in [first.rawValue, last.rawValue, firstTime.rawValue, lastTime.rawValue] {
      buffer.append(littleEndian: number)
    }
    buffer.append(littleEndian: UInt16(contentName.utf8.count))
    buffer.append(contentsOf: contentName.utf8)
    buffer.append(littleEndian: UInt32(knowledge.entries.count))
    for entry in knowledge.entries {
      buffer.append(entry.peer)
      buffer.append(littleEndian: entry.sequence.rawValue)
    }
    return Array(buffer.bytes)
  }

  /// Reads the content of frame 1.
  ///
  /// - Parameter bytes: exactly the content.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    var cursor = ByteCursor(bytes)
    try Self.checkMagic(&cursor)
    version = FormatVersion(major: try Self.major(&cursor), minor: try cursor.littleEndian())
    let flags = try cursor.littleEndian(UInt32.self)
    guard flags == 0 else {
      throw LogError(
        .newerFormat, "unknown flags 0x\(String(flags, radix: 16))", at: UInt64(cursor.offset - 4))
    }
    peer = try cursor.peer()
    first = SequenceNumber(try cursor.littleEndian())
    last = SequenceNumber(try cursor.littleEndian())
    firstTime = HybridTime(rawValue: try cursor.littleEndian())
    lastTime = HybridTime(rawValue: try cursor.littleEndian())
    let size = Int(try cursor.littleEndian(UInt16.self))
    guard size <= LogFormat.maximumNameByteCount else {
      throw cursor.failure(.limitExceeded, "a content name of \(size) bytes")
    }
    contentName = try cursor.text(byteCount: size)
    knowledge = Knowledge(try cursor.fixedEntries())
    guard cursor.remaining == 0 || version > .current else {
      throw cursor.failure(.malformed, "\(cursor.remaining) bytes follow the header")
    }
    try check()
  }

  /// Reads the header from the first bytes of a file, of which there may be too few or too many.
  ///
  /// - Returns: `needs` if there are too few bytes; a file that has no more is truncated.
  /// - Throws: `notALog`; `newerFormat`, before anything else of the file is interpreted;
  ///   `malformed`; `limitExceeded`. Offsets count from the start of the file.
  public static func read(prefix bytes: UnsafeRawBufferPointer) throws(LogError) -> Prefix {
    let head = LogFormat.skippableHeadByteCount
    do throws(LogError) {
      var cursor = ByteCursor(bytes)
      guard try cursor.littleEndian(UInt32.self) == LogFormat.headerFrameMagic else {
        throw LogError(.notALog, "the file does not begin with a header frame", at: 0)
      }
      let size = Int(try cursor.littleEndian(UInt32.self))
      try checkMagic(&cursor)
      _ = try major(&cursor)
      guard size <= maximumByteCount else {
        throw LogError(.limitExceeded, "a header of \(size) bytes", at: 4)
      }
      guard bytes.count >= head + size else { return .needs(head + size) }
    } catch {
      // The frame's head, the magic and the major version.
      if error.code == .truncated { return .needs(head + LogFormat.magic.count + 2) }
      throw error.moved(by: 0, in: .file)
    }
    do throws(LogError) {
      let size = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
      let content = UnsafeRawBufferPointer(rebasing: bytes[head..<head + size])
      return .header(try SegmentHeader(decoding: content), byteCount: head + size)
    } catch {
      var error = error.moved(by: UInt64(head), in: .file)
      // The frame is complete, so its size must be wrong.
      if error.code == .truncated { error = error.with(.malformed) }
      throw error
    }
  }

  private static func checkMagic(_ cursor: inout ByteCursor) throws(LogError) {
    let start = cursor.offset
    for expected in LogFormat.magic {
      guard try cursor.byte() == expected else {
        throw LogError(.notALog, "the header does not begin with TRIBLOG", at: UInt64(start))
      }
    }
  }

  private static func major(_ cursor: inout ByteCursor) throws(LogError) -> UInt16 {
    let major = try cursor.littleEndian(UInt16.self)
    let known = FormatVersion.current.major
    guard major == known else {
      throw LogError(
        major > known ? .newerFormat : .malformed,
        "format version \(major), while this program knows \(known)", at: UInt64(cursor.offset - 2))
    }
    return major
  }

  /// Checks what must be true of every header in a file.
  private func check() throws(LogError) {
    guard .zero < first, first <= last, last <= .max else {
      throw LogError(.malformed, "a segment from transaction \(first) to \(last)", at: 32)
    }
    guard first == last ? firstTime == lastTime : firstTime < lastTime else {
      throw LogError(.malformed, "the last time does not fit the first", at: 48)
    }
    let size = contentName.utf8.count
    guard (1...LogFormat.maximumNameByteCount).contains(size) else {
      throw LogError(.malformed, "a content name of \(size) bytes", at: 64)
    }
    guard knowledge[peer] == .zero else {
      throw LogError(.malformed, "the knowledge of a segment names its author")
    }
  }
}
