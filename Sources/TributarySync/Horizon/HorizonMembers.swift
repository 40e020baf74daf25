import TributaryContainer
import TributaryCore
import TributaryStore

/// The peers that are asked for a promise, and those that are waited for.
struct HorizonMembers {
  /// The peers that count, including this store: all but those that are retired, or have been silent for so
  /// long that they are left out (rule 5).
  var all: Set<PeerIdentity>
  /// Those among them that are not silent.
  let active: Set<PeerIdentity>
  /// The manifests of all peers, with complete receipts.
  let manifests: [PeerIdentity: PeerManifest]

  /// Reads all `peer.json` files.
  ///
  /// - Parameter patience: for how many silent days a peer is waited for.
  /// - Throws: `ContainerError` if the container cannot be read completely: nothing may be concluded from a
  ///   part.
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
