import TributaryCore

extension ByteBuffer {
  /// Appends a name, preceded by its length.
  mutating func append(name: String) throws(LogError) {
    let utf8 = name.utf8
    guard utf8.count <= LogFormat.maximumNameByteCount else {
      throw LogError(
        .limitExceeded,
        "a name of \(utf8.count) bytes, at most \(LogFormat.maximumNameByteCount) are allowed",
        remedy: "use a shorter name")
    }
    append(variable: UInt64(utf8.count))
    append(contentsOf: utf8)
  }

  /// Appends the 16 bytes of an identity.
  package mutating func append(_ peer: PeerIdentity) {
    append(bigEndian: peer.high)
    append(bigEndian: peer.low)
  }
}

extension LogError {
  static func checkKnowledge(count: Int) throws(LogError) {
    guard count <= LogFormat.maximumKnowledgeCount else {
      throw LogError(
        .limitExceeded,
        "a version vector of \(count) peers, at most \(LogFormat.maximumKnowledgeCount) are allowed",
        remedy: "retire peers that are gone")
    }
  }
}
