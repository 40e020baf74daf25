internal import CSodium

/// The content hash of a file, as in its name: the first eight bytes of its BLAKE2b-256.
///
/// `lowerHex` of the result is the first 16 digits that `b2sum -l 256` prints.
package struct SegmentHash: ~Copyable, @unchecked Sendable {
  // Sendable although it owns a pointer: the type is noncopyable, so only one owner ever sees the
  // memory.
  private let state: UnsafeMutableRawPointer

  private static let digestByteCount = 32

  /// Whether libsodium has chosen its implementation for this processor, which it does only once.
  private static let sodiumIsReady = sodium_init() >= 0

  package init() {
    precondition(Self.sodiumIsReady, "libsodium did not start")
    // libsodium requires this alignment.
    state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    crypto_generichash_init(OpaquePointer(state), nil, 0, Self.digestByteCount)
  }

  deinit { state.deallocate() }

  /// Hashes the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    crypto_generichash_update(
      OpaquePointer(state), bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
      UInt64(bytes.count))
  }

  /// Returns the first eight bytes of the digest, the first byte being the most significant.
  package consuming func finish() -> UInt64 {
    withUnsafeTemporaryAllocation(byteCount: Self.digestByteCount, alignment: 8) { digest in
      // The digest is never empty, so it has an address.
      let start = digest.assumingMemoryBound(to: UInt8.self).baseAddress.unsafelyUnwrapped
      crypto_generichash_final(OpaquePointer(state), start, digest.count)
      return UInt64(bigEndian: digest.load(as: UInt64.self))
    }
  }

  /// Returns the hash of bytes in memory.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = SegmentHash()
    hash.update(bytes)
    return hash.finish()
  }
}
