public import TributarySync

extension Store {
  /// Returns what is known of each peer, this store first: who is active, silent or retired, and who keeps the others
  /// from forgetting. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be seen whole.
  public func peers() throws -> [PeerStanding] { try session.peers() }

  /// Declares a peer to be gone: no device that reads it counts on the peer any more. What the peer has written
  /// stays, and what it writes from now on is imported as before. That is not taken back.
  ///
  /// - Parameter peer: its identity, the beginning of it, or its name, where only one peer has that.
  /// - Throws: `SyncError` for this store itself, for an unknown peer and for several; `ContainerError` without the
  ///   container. Nothing has changed then.
  @discardableResult
  public func retire(_ peer: String) throws -> Retirement {
    // Handlers may call the store: none of its locks is held by then.
    defer { announcements.deliveries.deliver(post) }
    return try session.retire(peer, didImport: announcements.send)
  }
}
