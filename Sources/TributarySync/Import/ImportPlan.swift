import TributaryCore
import TributaryHorizon
import TributaryReplay
import TributaryStore

/// Decides which transaction an import takes next, in causal order.
struct ImportPlan {
  /// What is here, including this store's own transactions.
  private struct Imported: Presence {
    var knowledge: Knowledge
    /// Transactions that are also known by another name.
    let withdrawals: [Withdrawal]

    /// Returns `nil` if a transaction is here, under its name or the one under which it was issued again.
    func firstMissing(upTo entry: Knowledge.Entry) -> Knowledge.Entry? {
      let isKnown =
        knowledge[entry.peer] >= entry.sequence
        || withdrawals.contains {
          $0.former == entry.peer && $0.contains(entry.sequence)
            && knowledge[$0.former] >= $0.last
            && knowledge[$0.peer] >= $0.renamed(entry.sequence)
        }
      return isKnown ? nil : entry
    }
  }

  private var here: Imported
  private var order = CausalOrder()
  /// The times of the last transactions of other peers that are here, except for the peer of the last
  /// transaction that was taken.
  private var times: [PeerIdentity: HybridTime] = [:]
  private var taken: (peer: PeerIdentity, time: HybridTime)?
  /// Transactions that were tried and could not be imported.
  private let refused: [Waiting]
  private var fence: HorizonFence

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - peers: what has been imported.
  ///   - fence: decides what may be imported.
  init(
    knowledge: Knowledge, peers: [KnowledgeTable.Peer], refused: [Waiting],
    withdrawals: [Withdrawal], fence: HorizonFence
  ) {
    here = Imported(knowledge: knowledge, withdrawals: withdrawals)
    for peer in peers where peer.sequence > .zero { times[peer.peer] = peer.time }
    self.refused = refused
    self.fence = fence
  }

  /// Returns the position of the next stream to take a transaction from; `nil` if none can
  /// continue.
  mutating func next(among streams: [SegmentStream]) -> Int? {
    order.next(among: streams, having: here) { [refused, times, taken] peer, head in
      if let declaration = fence.excluding(head, of: peer) { return .fenced(declaration) }
      if let refusal = refused.first(where: { $0.peer == peer && $0.sequence == head.sequence }) {
        return refusal.reason
      }
      // Its predecessor belongs to another store that has, or had, the same identity.
      let last = peer == taken?.peer ? taken?.time : times[peer]
      return last.map { head.time <= $0 } ?? false ? .fork(head.sequence) : nil
    }
  }

  /// Records that a transaction has been taken. Transactions that waited for it may continue.
  mutating func took(_ sequence: SequenceNumber, of peer: PeerIdentity, madeAt time: HybridTime) {
    here.knowledge[peer] = sequence
    if let taken, taken.peer != peer { times[taken.peer] = taken.time }
    taken = (peer, time)
    order.take(Knowledge.Entry(peer: peer, sequence: sequence), having: here)
  }

  mutating func block(_ peer: PeerIdentity, _ sequence: SequenceNumber, _ reason: Waiting.Reason) {
    order.block(peer, sequence, reason)
  }

  /// Whether a transaction is here.
  func has(_ side: Conflict.Side) -> Bool { here.knowledge[side.peer] >= side.sequence }

  /// Whether a stream has a transaction that nothing is known to keep out.
  func mayContinue(_ stream: SegmentStream) -> Bool {
    stream.head != nil && order.waiting[stream.peer] == nil
  }

  /// Returns what waits, and what it waits for, in order of peer.
  func waiting(_ streams: [SegmentStream]) -> [Waiting] {
    var waiting = Array(order.waiting.values)
    for stream in streams where order.waiting[stream.peer] == nil {
      if let (sequence, declaration) = stream.unresolved {
        waiting.append(
          Waiting(peer: stream.peer, sequence: sequence, reason: .baseline(declaration)))
      } else if let gap = stream.gap {
        waiting.append(
          Waiting(
            peer: stream.peer, sequence: gap.present,
            reason: .transaction(peer: stream.peer, sequence: gap.missing)))
      }
    }
    return waiting.sorted { ($0.peer, $0.sequence) < ($1.peer, $1.sequence) }
  }
}
