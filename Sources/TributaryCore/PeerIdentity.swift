/// One store's identity as a writer: 128 random bits.
///
/// Written as 32 lower-case hexadecimal digits in names and in JSON, as 16 bytes (most significant
/// first) in files. Ordered like its bytes.
public struct PeerIdentity: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  /// The number of bytes of the binary form.
  public static let byteCount = 16

  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 lower-case hexadecimal digits; `nil` for anything else.
  @inlinable public init?(hex: some StringProtocol) {
    // Native texts lend their bytes; others are copied once.
    guard
      let halves = hex.utf8.withContiguousStorageIfAvailable({
        Self.halves(UnsafeRawBufferPointer($0))
      }) ?? Array(hex.utf8).withUnsafeBytes({ Self.halves($0) })
    else { return nil }
    self.init(high: halves.high, low: halves.low)
  }

  @usableFromInline static func halves(
    _ digits: UnsafeRawBufferPointer
  ) -> (high: UInt64, low: UInt64)? {
    guard digits.count == 32,
      let high = UInt64(lowerHex: UnsafeRawBufferPointer(rebasing: digits[..<16])),
      let low = UInt64(lowerHex: UnsafeRawBufferPointer(rebasing: digits[16...]))
    else { return nil }
    return (high, low)
  }

  /// Reads the 16 bytes at the start of `bytes`; `nil` when there are fewer.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// A new identity from a source of randomness.
  public static func random(using generator: inout some RandomNumberGenerator) -> PeerIdentity {
    PeerIdentity(high: generator.next(), low: generator.next())
  }

  /// What an identity shares with those that stores of it take later, when they find that they are
  /// not the only ones: the first half.
  public var lineage: UInt64 { high }

  /// An identity of the same lineage. It stands where this one does among those of all others, so that
  /// the order of stamps stays as it was.
  ///
  /// - Parameter random: a new identity, of which the second half is taken.
  public func successor(_ random: PeerIdentity) -> PeerIdentity {
    PeerIdentity(high: high, low: random.low)
  }

  /// An identity that comes before others where stamps have one time, but close to the first of them: there
  /// is room for those that come before it in turn.
  public func preceding(_ others: some Sequence<PeerIdentity>) -> PeerIdentity {
    guard let first = others.min(), first <= self, first.high > 0 else { return self }
    return PeerIdentity(high: first.high - 1 - high % max(1, first.high >> 10), low: low)
  }

  /// The binary form: 16 bytes, most significant first.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
  }
}

extension PeerIdentity: Comparable {
  @inlinable public static func < (a: PeerIdentity, b: PeerIdentity) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}

extension PeerIdentity: CustomStringConvertible {
  public var description: String {
    String(unsafeUninitializedCapacity: 32) { digits in
      let digits = UnsafeMutableRawBufferPointer(digits)
      high.writeLowerHex(to: digits)
      low.writeLowerHex(to: UnsafeMutableRawBufferPointer(rebasing: digits[16...]))
      return 32
    }
  }
}
