/// One store's identity as a writer: 128 random bits.
///
/// Names and JSON contain it as 32 lower-case hexadecimal digits, files as 16 bytes, most
/// significant first. Identities are ordered like their bytes.
public struct PeerIdentity: Hashable, Sendable {
  /// The upper 64 bits.
  public let high: UInt64
  /// The lower 64 bits.
  public let low: UInt64

  /// The number of bytes of the binary form.
  public static let byteCount = 16

  /// Makes an identity of 128 bits.
  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 lower-case hexadecimal digits; `nil` for anything else.
  @inlinable public init?(hex: some StringProtocol) {
    // Native strings give access to their bytes; other strings are copied once.
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

  /// Makes a new identity from a source of randomness.
  package static func random(using generator: inout some RandomNumberGenerator) -> PeerIdentity {
    PeerIdentity(high: generator.next(), low: generator.next())
  }

  /// The first half of the identity. Identities that the same store takes later, because it finds that
  /// another store uses its identity, share this half. An identity that it takes when it comes back above a
  /// horizon does not.
  package var lineage: UInt64 { high }

  /// Returns an identity of the same lineage. It sorts in the same place as this one among all other
  /// identities, so that the order of stamps does not change.
  ///
  /// - Parameter random: a new identity, of which the second half is used.
  package func successor(_ random: PeerIdentity) -> PeerIdentity {
    PeerIdentity(high: high, low: random.low)
  }

  /// Returns an identity that sorts before `others` when stamps have equal times, but close to the first of
  /// them, which leaves room for further identities before it.
  package func preceding(_ others: some Sequence<PeerIdentity>) -> PeerIdentity {
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
