import TributaryCore

extension SegmentHeader {
  /// Returns the content of frame 1.
  ///
  /// - Throws: `malformed` or `limitExceeded` for what the format does not allow.
  package func encoded() throws(LogError) -> [UInt8] {
    try check()
    try LogError.checkKnowledge(count: knowledge.count)
    var buffer = ByteBuffer()
    Self.frame.begin(&buffer, minor: horizon == nil ? 0 : 1, flags: horizon?.flags ?? 0)
    buffer.append(peer)
    for number in [first.rawValue, last.rawValue, firstTime.rawValue, lastTime.rawValue] {
      buffer.append(littleEndian: number)
    }
    buffer.append(littleEndian: UInt16(contentName.utf8.count))
    buffer.append(contentsOf: contentName.utf8)
    let entries = knowledge.entries
    buffer.append(littleEndian: UInt32(entries.count))
    for entry in entries {
      buffer.append(entry.peer)
      buffer.append(littleEndian: entry.sequence.rawValue)
    }
    if let horizon {
      buffer.append(littleEndian: horizon.declaration)
      buffer.append(littleEndian: horizon.latestTime.rawValue)
    }
    return Array(buffer.bytes)
  }

  /// Reads the content of frame 1.
  ///
  /// - Parameter bytes: exactly the content.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    var cursor = ByteCursor(bytes)
    let flags: UInt32
    (version, flags) = try Self.frame.begin(&cursor, known: SegmentHorizon.knownFlags)
    guard flags == 0 || version.minor > 0 else {
      throw LogError(.malformed, "a horizon in version \(version)", at: 12)
    }
    guard flags != SegmentHorizon.numbersPeersFlag else {
      throw LogError(.malformed, "peers by their position without a horizon", at: 12)
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
    if flags & SegmentHorizon.flag != 0 {
      horizon = SegmentHorizon(
        declaration: try cursor.littleEndian(),
        latestTime: HybridTime(rawValue: try cursor.littleEndian()),
        numbersPeers: flags & SegmentHorizon.numbersPeersFlag != 0)
    }
    guard cursor.remaining == 0 || version > .current else {
      throw cursor.failure(.malformed, "\(cursor.remaining) bytes follow the header")
    }
    try check()
  }

  /// Reads the header from the first bytes of a file. There may be too few or too many bytes.
  ///
  /// - Returns: `needs` if there are too few bytes. A file that has no more bytes is truncated.
  /// - Throws: `notALog`; `newerFormat`, before anything else of the file is interpreted;
  ///   `malformed`; `limitExceeded`. Offsets count from the start of the file.
  package static func read(prefix bytes: UnsafeRawBufferPointer) throws(LogError) -> Prefix {
    switch try frame.read(prefix: bytes, decode: SegmentHeader.init(decoding:)) {
    case .needs(let count): .needs(count)
    case .header(let header, let byteCount): .header(header, byteCount: byteCount)
    }
  }

  private static let frame = HeaderFrame(
    magic: LogFormat.magic, word: "TRIBLOG", version: .current, maximumByteCount: maximumByteCount)

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
    if let horizon, firstTime <= horizon.latestTime {
      throw LogError(.malformed, "the first time is not later than the horizon", at: 48)
    }
    guard knowledge[peer] == .zero else {
      throw LogError(.malformed, "the knowledge of a segment names its author")
    }
  }
}
