import TributaryContainer
import TributaryCore
import TributaryReplay
import TributaryStore

/// Imported transactions beyond the horizon that would have to be read again and are in no file (rule 25).
///
/// This store knows only how they changed the rows. So what was written without knowing them cannot be
/// merged, and a store that has not imported them cannot continue. If they stay missing, a horizon that
/// contains them helps in both cases.
struct LostLogs {
  /// Whether there are any.
  let isAny: Bool

  /// Compares the names of the files with what the store has imported. If the container cannot be read
  /// completely, nothing counts as lost.
  ///
  /// - Parameters:
  ///   - peers: what the store has imported.
  ///   - horizon: nothing below it is read again.
  ///   - waiting: what could not be imported.
  /// - Complexity: O(*n*) in the peers and segments.
  init(
    _ exchange: Exchange, _ peers: [KnowledgeTable.Peer], beyond horizon: Knowledge,
    waiting: [Waiting]
  ) {
    guard exchange.listing.peers.allSatisfy({ $0.failure == nil }) else {
      isAny = false
      return
    }
    let listings = Dictionary(uniqueKeysWithValues: exchange.listing.peers.map { ($0.peer, $0) })
    let needsOne = waiting.contains {
      if case .history(let peer, let sequence) = $0.reason {
        sequence > horizon[peer]
      } else {
        false
      }
    }
    isAny =
      needsOne
      || peers.contains {
        $0.peer != exchange.own && $0.sequence > horizon[$0.peer]
          && !(listings[$0.peer]?.hasSegments(after: horizon[$0.peer], upTo: $0.sequence) ?? false)
      }
  }
}
