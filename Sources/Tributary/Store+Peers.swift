public import TributarySync

extension Store {
  /// Returns what is known about each peer, this store first: which peers are active, silent or retired, and
  /// which keep the others from forgetting. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be read completely.
  public func peers() throws -> [PeerStanding] { try session.peers() }

  /// Declares that a peer is gone: devices that read this declaration no longer wait for the peer. What the
  /// peer has written stays, and what it writes from now on is imported as before. The declaration cannot be
  /// taken back.
  ///
  /// - Parameter peer: the peer's identity, the beginning of it, or its name, if only one peer has that name.
  /// - Throws: `SyncError` for this store itself, for an unknown peer and if several peers match;
  ///   `ContainerError` without the container. Nothing has changed then.
  @discardableResult
  public func retire(_ peer: String) throws -> Retirement {
    // Handlers may call the store: none of its locks is held at this point.
    defer { announcements.deliveries.deliver(post) }
    return try session.retire(peer, didImport: announcements.send)
  }
}
