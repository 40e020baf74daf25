import TributaryContainer
import TributaryCore
import TributaryStore

/// Who is asked for a promise, and who is waited for.
struct HorizonMembers {
  /// The peers that count, this store included: all but those that are retired, or silent for so long that they are
  /// left out (rule 5).
  var all: Set<PeerIdentity>
  /// Those of them that are not silent.
  let active: Set<PeerIdentity>
  /// The manifests of all, with complete receipts.
  let manifests: [PeerIdentity: PeerManifest]

  /// Looks at all files `peer.json`.
  ///
  /// - Parameter patience: for how many silent days a peer is waited for.
  /// - Throws: `ContainerError` if the container cannot be seen whole: nothing may be concluded from a part.
  init(_ exchange: Exchange, patience: Int) throws {
    let census = try PeerCensus(exchange, isListed: true)
    let standings = try census.standings(findsHolders: false)
    all = Set(
      standings.filter {
        $0.peer == exchange.own || $0.state != .retired && $0.silentDays < patience
      }.map(\.peer))
    active = Set(standings.filter { $0.peer == exchange.own || $0.state == .active }.map(\.peer))
    manifests = census.exchange.manifests.all
  }
}
