package import TributaryContainer

extension ContentListing {
  /// Returns the logs of all peers in it.
  package func logs(in directory: ContentDirectory) -> [PeerLog] {
    peers.map { peer in
      PeerLog(
        directory: directory.peer(peer.peer), peer: peer.peer, name: nil,
        paths: peer.segments.map(\.path))
    }
  }
}
