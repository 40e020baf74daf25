/// A place in a write-ahead log: what is before it was committed before. As it is kept: a number, of which the
/// upper half tells one log from all others, and the lower one is how many frames are before it.
public struct LogPlace: RawRepresentable, Hashable, Sendable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  /// - Parameter salts: of the log: the first of them counts, the second SQLite draws by chance whenever a log
  ///   begins.
  init(salts: UInt64, frame: UInt32) {
    let folded = UInt32(truncatingIfNeeded: salts) &* 0x9e37_79b1 ^ UInt32(salts >> 32)
    rawValue = Int64(bitPattern: UInt64(folded) << 32 | UInt64(frame))
  }

  var frame: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

  /// Whether both are places in the same log.
  public func isInLog(of other: LogPlace) -> Bool { rawValue >> 32 == other.rawValue >> 32 }
}

/// How far a write-ahead log has come.
public struct LogHead: Hashable, Sendable {
  var salts: UInt64
  /// How many frames have been committed.
  var frame: UInt32
  /// How many of its frames are in the database's file too.
  var copied: UInt32
  /// Counts transactions, from anew when SQLite has read the log after a crash.
  public var transactions: UInt32
  /// Zero as long as nobody has written.
  var pageSize: Int

  /// Its end.
  public var place: LogPlace { LogPlace(salts: salts, frame: frame) }

  public var isEmpty: Bool { frame == 0 }

  /// Whether the database's file has all that was committed.
  public var isCopied: Bool { copied == frame }
}
