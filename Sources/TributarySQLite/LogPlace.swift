/// A place in a write-ahead log: everything before it was committed before. It is stored as a number whose
/// upper half identifies the log and whose lower half is the number of frames before the place.
package struct LogPlace: RawRepresentable, Hashable, Comparable, Sendable {
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Makes a place.
  ///
  /// - Parameter salts: the salts of the log. The first one counts up; SQLite chooses the second one at
  ///   random whenever a log begins.
  init(salts: UInt64, frame: UInt32) {
    let folded = UInt32(truncatingIfNeeded: salts) &* 0x9e37_79b1 ^ UInt32(salts >> 32)
    rawValue = Int64(bitPattern: UInt64(folded) << 32 | UInt64(frame))
  }

  var frame: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// Whether a place is before another one in the same log.
  package static func < (one: LogPlace, other: LogPlace) -> Bool { one.frame < other.frame }

  /// Whether both places are in the same log.
  package func isInLog(of other: LogPlace) -> Bool { rawValue >> 32 == other.rawValue >> 32 }
}

/// The end of a write-ahead log.
package struct LogHead: Hashable, Sendable {
  var salts: UInt64
  /// The number of committed frames.
  var frame: UInt32
  /// The number of frames that are also in the database file.
  var copied: UInt32
  /// The number of transactions. It starts over when SQLite has read the log after a crash.
  package var transactions: UInt32
  /// The size of a page in bytes; zero until the first write.
  var pageSize: Int

  /// The place of the end.
  package var place: LogPlace { LogPlace(salts: salts, frame: frame) }

  package var isEmpty: Bool { frame == 0 }

  /// Whether the database's file contains everything that was committed.
  package var isCopied: Bool { copied == frame }
}
