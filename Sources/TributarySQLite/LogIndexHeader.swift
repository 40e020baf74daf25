/// The header of the index of a write-ahead log, in the byte order of the machine. The index begins with two
/// copies of it. After them, at offset 96, is the number of frames that are already in the database file.
///
/// | Offset | Size | Field                               |
/// |      0 |    4 | version: 3007000                    |
/// |      8 |    4 | transactions                        |
/// |     12 |    1 | whether it is initialized           |
/// |     14 |    2 | size of a page; 1 stands for 65,536 |
/// |     16 |    4 | committed frames                    |
/// |     24 |    8 | checksum of the last frame          |
/// |     32 |    8 | salts                               |
/// |     40 |    8 | checksum of the header              |
///
/// Source: https://www.sqlite.org/walformat.html#the_wal_index_file_format
struct LogIndexHeader: Equatable {
  static let byteCount = 48
  private static let version: UInt64 = 3_007_000

  private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  init(_ start: UnsafeRawPointer) {
    words = start.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64).self)
  }

  static func == (one: LogIndexHeader, other: LogIndexHeader) -> Bool { one.words == other.words }

  /// Returns the end of the log.
  ///
  /// - Returns: `nil` for an index of an unknown version, or one that is not initialized.
  func head(copied: UInt32) -> LogHead? {
    guard words.0 & 0xffff_ffff == Self.version, words.1 >> 32 & 0xff == 1 else { return nil }
    let size = Int(words.1 >> 48)
    return LogHead(
      salts: words.4, frame: UInt32(truncatingIfNeeded: words.2), copied: copied,
      transactions: UInt32(truncatingIfNeeded: words.1),
      pageSize: size & 0xfe00 + (size & 1) << 16)
  }
}
