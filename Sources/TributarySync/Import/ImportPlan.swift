import TributaryCore
import TributaryLog
import TributaryReplay
import TributaryStore

/// Decides which transaction comes next: the earliest by stamp whose author knew nothing that is
/// missing here.
struct ImportPlan {
  /// What is here, including this store's own transactions.
  private(set) var knowledge: Knowledge
  /// The times of the last of these, as far as they are other peers'.
  private var times: [PeerIdentity: HybridTime] = [:]
  /// Peers that cannot continue, and why.
  private(set) var blocked: [PeerIdentity: Waiting] = [:]
  /// Transactions that were tried and could not be imported.
  private let refused: [Waiting]
  /// What is known by another name too.
  private let withdrawals: [Withdrawal]

  private var order = StampOrder()
  /// Knowledge that is completely here.
  private var satisfied: Knowledge?

  /// Makes a plan.
  ///
  /// - Parameter peers: what has been imported.
  init(
    knowledge: Knowledge, peers: [KnowledgeTable.Peer] = [], refused: [Waiting] = [],
    withdrawals: [Withdrawal] = []
  ) {
    self.knowledge = knowledge
    for peer in peers where peer.sequence > .zero { times[peer.peer] = peer.time }
    self.refused = refused
    self.withdrawals = withdrawals
  }

  /// Returns the position of the next stream to take a transaction from; `nil` if none can
  /// continue.
  ///
  /// - Complexity: O(1) while one peer's transactions are the earliest, otherwise O(peers).
  mutating func next(among streams: [some TransactionStream]) -> Int? {
    while true {
      let earliest = order.earliest(of: streams.count) { position in
        blocked[streams[position].peer] == nil ? streams[position].stamp : nil
      }
      guard let position = earliest, let head = streams[position].head else { return nil }
      let peer = streams[position].peer
      if let refusal = refused.first(where: { $0.peer == peer && $0.sequence == head.sequence }) {
        blocked[peer] = refusal
      } else if let last = times[peer], head.time <= last {
        // Its predecessor belongs to another store that has, or had, the same identity.
        block(peer, head.sequence, .fork(head.sequence))
      } else if head.knowledge == satisfied {
        return position
      } else if let missing = head.knowledge.entries.first(where: { !isKnown($0) }) {
        block(
          peer, head.sequence, .transaction(peer: missing.peer, sequence: missing.sequence))
      } else {
        satisfied = head.knowledge
        return position
      }
    }
  }

  /// Records that a transaction has been taken. What waited for it may continue.
  mutating func took(_ sequence: SequenceNumber, of peer: PeerIdentity, madeAt time: HybridTime) {
    knowledge[peer] = sequence
    times[peer] = time
    for (waiting, entry) in blocked {
      if case .transaction(let other, let wanted) = entry.reason,
        isKnown(Knowledge.Entry(peer: other, sequence: wanted))
      {
        blocked[waiting] = nil
        order.forget()
      }
    }
  }

  /// Whether a transaction is here, under its name or the one under which it was issued again.
  private func isKnown(_ entry: Knowledge.Entry) -> Bool {
    knowledge[entry.peer] >= entry.sequence
      || withdrawals.contains {
        $0.former == entry.peer && $0.contains(entry.sequence)
          && knowledge[$0.former] >= $0.last
          && knowledge[$0.peer] >= $0.renamed(entry.sequence)
      }
  }

  mutating func block(_ peer: PeerIdentity, _ sequence: SequenceNumber, _ reason: Waiting.Reason) {
    blocked[peer] = Waiting(peer: peer, sequence: sequence, reason: reason)
  }

  /// Returns what waits, and for what, in order of peer.
  func waiting(_ streams: [SegmentStream]) -> [Waiting] {
    var waiting = Array(blocked.values)
    for stream in streams where blocked[stream.peer] == nil {
      if let gap = stream.gap {
        waiting.append(
          Waiting(
            peer: stream.peer, sequence: gap.present,
            reason: .transaction(peer: stream.peer, sequence: gap.missing)))
      }
    }
    return waiting.sorted { ($0.peer, $0.sequence) < ($1.peer, $1.sequence) }
  }
}
