import TributaryCore

/// Finds the peer that a user means.
struct PeerSearch {
  /// The path of the store.
  let path: String
  /// All peers, this store first.
  let peers: [PeerStanding]

  /// The shortest text that counts as the beginning of an identity.
  private static let leastCount = 4

  /// Returns the one other peer that has a given name, or whose identity begins with a given text.
  ///
  /// - Throws: `SyncError` if there is none or if there are several, and for this store itself.
  func peer(_ text: String) throws(SyncError) -> PeerStanding {
    let all = peers.filter { matches($0, text) }
    // A device that has come back has the name of its former identity.
    let present = all.filter { $0.state != .retired }
    let found = all.count > 1 && present.count == 1 ? present : all
    guard let peer = found.first else {
      throw SyncError(
        .unknownPeer, "no peer has the name or identity \(text.debugDescription)", path: path,
        remedy: "`tributary peers list` shows the peers that are known here")
    }
    guard found.count == 1 else {
      let names = found.map { "\($0.peer) (\($0.name.debugDescription), \($0.state.rawValue))" }
      throw SyncError(
        .ambiguousPeer,
        "\(text.debugDescription) may be one of \(found.count) peers: "
          + names.joined(separator: ", "),
        path: path, remedy: "give the identity of the one that is meant")
    }
    guard peer.peer != peers.first?.peer else {
      throw SyncError(
        .ownPeer, "peer \(peer.peer) is this store itself", path: path,
        remedy:
          "run `tributary detach` to take this store out, or retire it on another device")
    }
    return peer
  }

  private func matches(_ peer: PeerStanding, _ text: String) -> Bool {
    if !text.isEmpty, peer.name == text { return true }
    return text.utf8.count >= Self.leastCount
      && peer.peer.description.hasPrefix(text.lowercased())
  }
}
