import TributaryCore

/// The skippable frame that contains the header and begins each kind of file.
struct HeaderFrame {
  /// The first bytes of the content.
  let magic: [UInt8]
  /// The same as a readable word.
  let word: String
  /// The version that this program knows.
  let version: FormatVersion
  /// The largest size of the content.
  let maximumByteCount: Int

  /// What the first bytes of a file contain.
  enum Prefix<Header> {
    /// At least this many bytes from the start of the file are needed.
    case needs(Int)
    /// The header, and the number of bytes that it takes in the file, including its frame.
    case header(Header, byteCount: Int)
  }

  /// Reads the header from the first bytes of a file. There may be too few or too many bytes.
  ///
  /// - Parameter decode: reads the header from exactly the content of the frame.
  /// - Throws: `notALog`; `newerFormat`, before anything else of the file is interpreted; `malformed`;
  ///   `limitExceeded`. Offsets count from the start of the file.
  func read<Header>(
    prefix bytes: UnsafeRawBufferPointer,
    decode: (UnsafeRawBufferPointer) throws(LogError) -> Header
  ) throws(LogError) -> Prefix<Header> {
    let head = LogFormat.skippableHeadByteCount
    let size: Int
    do throws(LogError) {
      var cursor = ByteCursor(bytes)
      guard try cursor.littleEndian(UInt32.self) == LogFormat.headerFrameMagic else {
        throw LogError(.notALog, "the file does not begin with a header frame", at: 0)
      }
      size = Int(try cursor.littleEndian(UInt32.self))
      try checkMagic(&cursor)
      _ = try major(&cursor)
      guard size <= maximumByteCount else {
        throw LogError(.limitExceeded, "a header of \(size) bytes", at: 4)
      }
    } catch {
      // The frame's head, the magic and the major version.
      if error.code == .truncated { return .needs(head + magic.count + 2) }
      throw error.moved(by: 0, in: .file)
    }
    guard bytes.count >= head + size else { return .needs(head + size) }
    do throws(LogError) {
      let content = UnsafeRawBufferPointer(rebasing: bytes[head..<head + size])
      return .header(try decode(content), byteCount: head + size)
    } catch {
      var error = error.moved(by: UInt64(head), in: .file)
      // The frame is complete, so its size must be wrong.
      if error.code == .truncated { error = error.with(.malformed) }
      throw error
    }
  }

  /// Reads the fields that all headers begin with.
  ///
  /// - Parameter known: the flags that the reader understands.
  /// - Returns: the version of the file, and its flags.
  func begin(
    _ cursor: inout ByteCursor, known: UInt32 = 0
  ) throws(LogError) -> (version: FormatVersion, flags: UInt32) {
    try checkMagic(&cursor)
    let version = FormatVersion(major: try major(&cursor), minor: try cursor.littleEndian())
    let flags = try cursor.littleEndian(UInt32.self)
    let unknown = flags & ~known
    guard unknown == 0 else {
      throw LogError(
        .newerFormat, "unknown flags 0x\(String(unknown, radix: 16))",
        at: UInt64(cursor.offset - 4))
    }
    return (version, flags)
  }

  /// Appends the fields that all headers begin with.
  ///
  /// - Parameter minor: the lowest minor version that has the flags.
  func begin(_ buffer: inout ByteBuffer, minor: UInt16 = 0, flags: UInt32 = 0) {
    buffer.append(contentsOf: magic)
    buffer.append(littleEndian: version.major)
    buffer.append(littleEndian: minor)
    buffer.append(littleEndian: flags)
  }

  private func checkMagic(_ cursor: inout ByteCursor) throws(LogError) {
    let start = cursor.offset
    for expected in magic {
      guard try cursor.byte() == expected else {
        throw LogError(.notALog, "the header does not begin with \(word)", at: UInt64(start))
      }
    }
  }

  private func major(_ cursor: inout ByteCursor) throws(LogError) -> UInt16 {
    let major = try cursor.littleEndian(UInt16.self)
    guard major == version.major else {
      throw LogError(
        major > version.major ? .newerFormat : .malformed,
        "format version \(major), while this program knows \(version.major)",
        at: UInt64(cursor.offset - 2))
    }
    return major
  }
}
