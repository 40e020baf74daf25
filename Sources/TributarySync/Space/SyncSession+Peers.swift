import TributaryContainer
import TributaryCore
import TributarySQLite
import TributaryStore

extension SyncSession {
  /// Returns what is known about each peer, this store first: which peers are active, silent or retired, and
  /// which keep the others from forgetting. Changes nothing.
  ///
  /// - Throws: `ContainerError` if the container cannot be read completely.
  package func peers() throws -> [PeerStanding] {
    try store.service { try census($0).standings() }
  }

  private func census(_ connection: Connection) throws -> PeerCensus {
    let identity = try StoreIdentity(reading: connection)
    let exchange = Exchange(identity, connection, looking, try identity.directory(), memory)
    try checkPresent(exchange, reseed: false)
    return try PeerCensus(exchange)
  }

  /// Declares a peer to be gone, in this store's own `peer.json`: no device that reads it counts on the peer
  /// any more. What the peer has written stays, and what it writes from now on is imported as before. It may
  /// have published transactions that no store can import any more, since the others have agreed on a horizon
  /// meanwhile. This store issues those again.
  ///
  /// This cannot be taken back, and doing it again changes nothing.
  ///
  /// - Parameters:
  ///   - text: the peer's identity, the beginning of it, or its name if only one peer has that name.
  ///   - didImport: as for `synchronize`, since informing the others is a synchronisation.
  /// - Throws: `SyncError` for this store itself, for an unknown peer, and for several; `ContainerError`
  ///   without the container, since the others could not be informed. Nothing has changed then.
  package func retire(
    _ text: String, didImport: (SyncReport.Imported) throws -> Void = { _ in }
  ) throws -> Retirement {
    let (standing, isNews, isOwn) = try store.service { connection in
      let census = try census(connection)
      let standing = try PeerSearch(path: store.path, peers: census.standings()).peer(text)
      return (
        standing, try !census.gone().contains(standing.peer),
        try Retirements(Settings(connection)).all().contains(standing.peer)
      )
    }
    if !isOwn {
      try store.exchange { connection in
        try connection.immediate { try Retirements(Settings(connection)).add(standing.peer) }
      }
    }
    forgetManifest()
    var report = try exchange(didImport: didImport)
    // What the user says now counts also where the store must come back first.
    try store.exchange { connection in
      var exchange = try self.exchange(StoreIdentity(reading: connection), connection)
      // The report has the same failure.
      do { try exchange.look() } catch is ContainerError { return }
      try RetiredLog.noteEnd(of: standing.peer, exchange)
    }
    try comeBackIfUnfit(into: &report, didImport)
    return Retirement(standing: standing, isNews: isNews, report: report)
  }
}
