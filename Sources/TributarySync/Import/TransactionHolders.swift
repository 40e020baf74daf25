import TributaryContainer
import TributaryCore
import TributaryReplay
import TributaryStore

/// The peers that state that they have a transaction. Their files are read at the first query.
final class TransactionHolders {
  private let exchange: Exchange
  private lazy var manifests = exchange.memory.receipts.read(
    exchange.listing, in: exchange.directory, exchange.environment, horizons: exchange.horizons
  ).all
  private lazy var gone = manifests.goneIdentities

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// Returns the other peers that are counted on and have imported a transaction, in ascending order. Its
  /// author is not included.
  func holders(of sequence: SequenceNumber, _ author: PeerIdentity) -> [PeerIdentity] {
    manifests.values.filter {
      $0.peer != author && $0.peer != exchange.own && !gone.contains($0.peer)
        && $0.receipt[author] >= sequence
    }.map(\.peer).sorted()
  }
}
