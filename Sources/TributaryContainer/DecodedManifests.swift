internal import Synchronization
import TributaryCore

/// The manifests that this process has decoded most recently, by the bytes they were decoded from. Stores of
/// one process share the peers of their container, so a manifest that several stores read, or one store reads
/// again, is decoded once.
///
/// The result depends only on the bytes and on what is requested, so nothing here is ever out of date. Errors
/// are not kept.
package final class DecodedManifests: Sendable {
  /// Everything that the result depends on.
  fileprivate struct Key: Hashable {
    let bytes: [UInt8]
    let peer: PeerIdentity
    let content: ContentName
    let subject: PeerIdentity?

    /// Hashes only the beginning of the bytes, which contains the checksum of all the others.
    func hash(into hasher: inout Hasher) {
      hasher.combine(peer)
      hasher.combine(subject)
      bytes.prefix(64).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  fileprivate struct State {
    var manifests: [Key: PeerManifest] = [:]
    /// In order of arrival, beginning at `oldest` once the limit is reached.
    var keys: [Key] = []
    var oldest = 0
  }

  /// The manifests of all stores of the process.
  package static let shared = DecodedManifests()

  /// At most this many manifests are kept.
  package static let largestCount = 64

  /// The size limit in bytes: larger files are not kept. Together, the kept files have at most a mebibyte.
  package static let largestByteCount = 16 << 10

  private let state = Mutex(State())

  /// Makes an empty memory.
  package init() {}

  /// The number of manifests that are kept.
  package var count: Int { state.withLock { $0.manifests.count } }

  /// Returns the same manifest as `PeerManifest(decoding:of:in:about:)`.
  ///
  /// - Throws: `ContainerError`, as that initializer does.
  /// - Complexity: for bytes that were decoded before, comparing them.
  package func manifest(
    decoding bytes: [UInt8], of peer: PeerIdentity, in directory: ContentDirectory,
    about subject: PeerIdentity?
  ) throws(ContainerError) -> PeerManifest {
    guard bytes.count <= Self.largestByteCount else {
      return try PeerManifest(decoding: bytes, of: peer, in: directory, about: subject)
    }
    let key = Key(bytes: bytes, peer: peer, content: directory.name, subject: subject)
    if let known = state.withLock({ $0.manifests[key] }) { return known }
    // Outside the lock, so that others need not wait for this.
    let manifest = try PeerManifest(decoding: bytes, of: peer, in: directory, about: subject)
    state.withLock { $0.keep(manifest, key) }
    return manifest
  }
}

extension DecodedManifests.State {
  /// Keeps a manifest, replacing the oldest if there are too many.
  fileprivate mutating func keep(_ manifest: PeerManifest, _ key: DecodedManifests.Key) {
    guard manifests.updateValue(manifest, forKey: key) == nil else { return }
    guard keys.count == DecodedManifests.largestCount else {
      keys.append(key)
      return
    }
    manifests[keys[oldest]] = nil
    keys[oldest] = key
    oldest = (oldest + 1) % keys.count
  }
}
