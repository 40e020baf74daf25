import TributaryContainer
import TributaryCore
import TributaryLog
import TributaryStore

/// Imported transactions that only devices which remember an earlier declaration can read (rule 25): they are
/// written above its horizon, and no baseline here declares it any more.
///
/// Usually, their author follows the later declaration and writes them again (`Exchange.rewrite`). If it is
/// lost, a device that has begun with a later baseline would wait for ever.
struct StrandedLogs {
  /// The last of these transactions of each author.
  private(set) var last = Knowledge()

  private let exchange: Exchange

  /// Reads the headers of the segments that another peer lacks, according to its receipt. If no active peer
  /// lacks what is found, nobody waits, and nothing counts as stranded.
  ///
  /// - Parameters:
  ///   - peers: what the store has imported.
  ///   - horizon: new devices read nothing below it.
  ///   - known: declarations that baselines declare, or will declare.
  ///   - patience: for how many silent days a peer is waited for.
  /// - Complexity: one header for each such segment; if one is stranded, all `peer.json` files.
  init(
    _ exchange: Exchange, _ peers: [KnowledgeTable.Peer], beyond horizon: Knowledge,
    known: Set<UInt64>, patience: Int
  ) throws {
    self.exchange = exchange
    let imported = Dictionary(peers.map { ($0.peer, $0.sequence) }, uniquingKeysWith: max)
    for listing in exchange.listing.peers where listing.peer != exchange.own {
      guard let end = imported[listing.peer], end > horizon[listing.peer],
        mayBeLacked(end, of: listing.peer)
      else { continue }
      for file in listing.segments
      where file.name.last > horizon[listing.peer] && file.name.first <= end {
        guard let declaration = try declaration(of: file.name, listing.peer),
          !known.contains(declaration)
        else { continue }
        last[listing.peer] = min(file.name.last, end)
      }
    }
    guard !last.isEmpty else { return }
    let members = try HorizonMembers(exchange, patience: patience)
    last = Knowledge(
      last.entries.filter { entry in
        members.active.contains { peer in
          peer != exchange.own && peer != entry.peer
            && members.manifests[peer].map { $0.receipt[entry.peer] < entry.sequence } ?? false
        }
      })
  }

  /// Whether a peer may lack a transaction, judging by what this session has read of the receipts.
  private func mayBeLacked(_ sequence: SequenceNumber, of author: PeerIdentity) -> Bool {
    !exchange.manifests.hasWholeReceipts
      || exchange.manifests.others(than: exchange.own).contains {
        $0.peer != author && $0.receipt[author] < sequence
      }
  }

  /// Returns the declaration above whose horizon a segment is written; `nil` if it is written whole, or cannot
  /// be read.
  private func declaration(of name: SegmentName, _ peer: PeerIdentity) throws -> UInt64? {
    do {
      return try exchange.segments(of: peer).header(of: name).horizon?.declaration
    } catch {
      if error.stopsAll { throw error }
      // What is lost or damaged is found by those who need it.
      return nil
    }
  }
}
