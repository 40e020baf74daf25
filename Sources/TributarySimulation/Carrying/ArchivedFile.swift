internal import TributaryCore
internal import TributaryTesting

/// A file of the container as the carrier knows it: everything that the carrier has seen under one
/// path.
struct ArchivedFile {
  /// The path relative to the container.
  let path: String
  /// The versions in the order in which the carrier saw them at the writer; never empty.
  private(set) var versions: [[UInt8]]
  /// Whether it reaches no other device before the end.
  let isHeldBack: Bool
  let name: String
  let isSegment: Bool
  /// The owner of its directory, as in the path.
  let peerName: String
  let peer: PeerIdentity?

  init(path: String, bytes: [UInt8], isHeldBack: Bool) {
    self.path = path
    // Stored because it is needed very often.
    name = String(path.split(separator: "/").last ?? "")
    isSegment = name.hasSuffix(".lz4")
    peerName = Self.peerName(of: path) ?? ""
    peer = PeerIdentity(hex: peerName)
    versions = [bytes]
    self.isHeldBack = isHeldBack
  }

  mutating func add(_ bytes: [UInt8]) {
    if latest != bytes { versions.append(bytes) }
  }

  var latest: [UInt8] { versions[versions.count - 1] }

  /// The best version: for a segment, the one that was not cut short; it never changes otherwise.
  var best: [UInt8] {
    isSegment ? versions.max { $0.count < $1.count } ?? [] : latest
  }

  /// Returns the peer in `tributary/H/peers/<peer>/…`.
  static func peerName(of path: String) -> String? {
    let parts = path.split(separator: "/")
    guard let index = parts.firstIndex(of: "peers"), parts.count > index + 1 else { return nil }
    return String(parts[index + 1])
  }

  /// Whether a writer gives published files such names.
  static func isPublished(_ name: String) -> Bool {
    name == "peer.json" || name.utf8.count == 54 && name.hasSuffix(".lz4") && !name.hasPrefix(".")
  }

  /// Whether a writer gives baselines such names.
  static func isBaseline(_ name: String) -> Bool {
    name.utf8.count == 37 && name.hasSuffix(".lz4") && !name.hasPrefix(".")
  }
}
