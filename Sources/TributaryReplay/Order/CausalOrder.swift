package import TributaryCore
package import TributaryLog

/// Which transactions of all peers are here.
package protocol Presence {
  /// Returns the first transaction of a peer, up to the given one, that is not here; `nil` if all of them
  /// are.
  func firstMissing(upTo entry: Knowledge.Entry) -> Knowledge.Entry?
}

/// Decides which transaction comes next: the earliest by stamp whose causes are here. Its causes are the
/// transaction before it, and everything that its author knew.
///
/// The work done for each transaction can be inlined by other modules, which know the types of their streams.
package struct CausalOrder {
  /// The next transactions of peers that cannot continue, and why.
  package private(set) var waiting: [PeerIdentity: Waiting] = [:]
  @usableFromInline var order = StampOrder()
  /// The last transaction that was taken.
  @usableFromInline var taken: Knowledge.Entry?
  /// What an author knew, all of which is here.
  @usableFromInline var satisfied = Knowledge()

  package init() {}

  /// Returns the position of the stream with the next transaction; `nil` if none can continue.
  ///
  /// - Parameter objection: returns another reason why a transaction cannot be taken.
  /// - Complexity: O(1) while one peer's transactions are the earliest, otherwise O(log *n*) in the peers;
  ///   O(*n*) when one has waited and continues.
  @inlinable package mutating func next<Stream: OrderedStream>(
    among streams: [Stream], having here: some Presence,
    unless objection: (PeerIdentity, TransactionHeader) -> Waiting.Reason? = { _, _ in nil }
  ) -> Int? {
    while true {
      let earliest = order.earliest(of: streams.count) { position in
        waiting[streams[position].peer] == nil ? streams[position].stamp : nil
      }
      guard let position = earliest, let head = streams[position].head else { return nil }
      let peer = streams[position].peer
      if let reason = objection(peer, head) {
        block(peer, head.sequence, reason)
      } else if let missing = firstMissing(before: head, of: peer, here) {
        block(
          peer, head.sequence, .transaction(peer: missing.peer, sequence: missing.sequence))
      } else {
        return position
      }
    }
  }

  @inlinable mutating func firstMissing(
    before head: TransactionHeader, of peer: PeerIdentity, _ here: some Presence
  ) -> Knowledge.Entry? {
    let previous = Knowledge.Entry(
      peer: peer, sequence: SequenceNumber(head.sequence.rawValue - 1))
    if previous != taken, previous.sequence > .zero,
      let missing = here.firstMissing(upTo: previous)
    {
      return missing
    }
    if head.knowledge == satisfied { return nil }
    // A transaction that was here stays here.
    for entry in head.knowledge.exceeding(satisfied) {
      if let missing = here.firstMissing(upTo: entry) { return missing }
    }
    satisfied = head.knowledge
    return nil
  }

  /// Records that a transaction has been taken and is here now. Peers that waited for it may continue.
  @inlinable package mutating func take(_ entry: Knowledge.Entry, having here: some Presence) {
    taken = entry
    for (peer, waiting) in waiting {
      if case .transaction(let cause, let sequence) = waiting.reason,
        here.firstMissing(upTo: Knowledge.Entry(peer: cause, sequence: sequence)) == nil
      {
        reconsider(peer)
      }
    }
  }

  /// Makes a peer wait with its next transaction.
  package mutating func block(
    _ peer: PeerIdentity, _ sequence: SequenceNumber, _ reason: Waiting.Reason
  ) {
    waiting[peer] = Waiting(peer: peer, sequence: sequence, reason: reason)
  }

  /// Must be called when another transaction may be a peer's next one.
  package mutating func reconsider(_ peer: PeerIdentity) {
    waiting[peer] = nil
    order.forget()
  }
}
