internal import Synchronization
import TributaryCore

/// The manifests that this process has decoded last, by the bytes they were decoded from: stores of one process share
/// the peers of their container, and a peer that is read by several of them, or again, is decoded once.
///
/// What bytes say depends on nothing but them and what is asked, so nothing here is ever out of date. Errors are not kept.
package final class DecodedManifests: Sendable {
  /// All that what is decoded depends on.
  fileprivate struct Key: Hashable {
    let bytes: [UInt8]
    let peer: PeerIdentity
    let content: ContentName
    let subject: PeerIdentity?

    /// Feeds the beginning of the bytes, where the checksum of all others is, and not the whole of them.
    func hash(into hasher: inout Hasher) {
      hasher.combine(peer)
      hasher.combine(subject)
      bytes.prefix(64).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  fileprivate struct State {
    var manifests: [Key: PeerManifest] = [:]
    /// In the order in which they came, beginning at `oldest` once there are as many as are kept.
    var keys: [Key] = []
    var oldest = 0
  }

  /// Those of all stores of the process.
  package static let shared = DecodedManifests()

  /// At most this many are kept.
  package static let largestCount = 64

  /// Larger files are not kept, in bytes: together, those that are have at most a mebibyte.
  package static let largestByteCount = 16 << 10

  private let state = Mutex(State())

  /// Remembers nothing.
  package init() {}

  /// How many are kept.
  package var count: Int { state.withLock { $0.manifests.count } }

  /// Returns what `PeerManifest(decoding:of:in:about:)` does.
  ///
  /// - Throws: `ContainerError`, as that does.
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
    // Outside the lock: others need not wait for it.
    let manifest = try PeerManifest(decoding: bytes, of: peer, in: directory, about: subject)
    state.withLock { $0.keep(manifest, key) }
    return manifest
  }
}

extension DecodedManifests.State {
  /// Keeps a manifest, in the place of the oldest if there are many.
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
