import TributaryContainer
import TributaryCore
import TributaryStore

/// How much of a store's own log all peers that still count state that they have.
struct Acknowledgement {
  /// The last transaction that all of these peers have, together with all transactions before it.
  let all: SequenceNumber
  /// The peers that have no more than that, if there is more, in ascending order.
  let holders: [PeerIdentity]

  /// - Parameters:
  ///   - manifests: may have receipts that are limited to this store's own transactions.
  ///   - gone: the peers that are not counted on.
  init(
    _ exchange: Exchange, manifests: [PeerIdentity: PeerManifest], gone: Set<PeerIdentity>
  ) throws {
    let published = try SegmentTable(exchange.connection).last()
    let present = exchange.listing.peers.filter { $0.hasManifest || !$0.segments.isEmpty }
    var peers = Set(present.map(\.peer))
    peers.formUnion(try KnowledgeTable(exchange.connection).peers().map(\.peer))
    peers.subtract(gone)
    peers.remove(exchange.own)
    let receipts = peers.map { ($0, manifests[$0]?.receipt[exchange.own] ?? .zero) }
    let least = receipts.map(\.1).min() ?? published
    all = min(least, published)
    holders = least < published ? receipts.filter { $0.1 == least }.map(\.0).sorted() : []
  }
}
