public import TributaryCore

/// A transaction that has arrived and cannot be imported yet. Later transactions of the same peer wait with
/// it.
public struct Waiting: Equatable, Sendable {
  /// What a transaction waits for.
  public enum Reason: Equatable, Sendable {
    /// Its author knew a transaction that is not here.
    case transaction(peer: PeerIdentity, sequence: SequenceNumber)
    /// The tables here lack something.
    case schema(Refusal)
    /// A constraint would not hold.
    case constraint(Refusal)
    /// Merging it needs logs that were imported before but are gone from the container, namely this
    /// transaction of this peer.
    case history(peer: PeerIdentity, sequence: SequenceNumber)
    /// Two stores have written under the peer's identity: from this transaction on, there are two logs.
    case fork(SequenceNumber)
    /// This store has imported something that a copy of that peer's store wrote under the peer's identity
    /// after that transaction, or something written with knowledge of it.
    case strayed(from: PeerIdentity, after: SequenceNumber)
    /// Its author did not know all of a horizon that this store has promised or obeys; the horizon is given
    /// by its identifier.
    case fenced(UInt64)
    /// What its author knew is written above the horizon of this declaration, which no baseline here has.
    case baseline(UInt64)
  }

  /// The store that wrote it.
  public var peer: PeerIdentity
  /// The number of the first transaction that waits.
  public var sequence: SequenceNumber
  /// What it waits for.
  public var reason: Reason

  package init(peer: PeerIdentity, sequence: SequenceNumber, reason: Reason) {
    self.peer = peer
    self.sequence = sequence
    self.reason = reason
  }
}

extension Waiting: CustomStringConvertible {
  public var description: String {
    let what = "transaction \(sequence) of \(peer) waits"
    return switch reason {
    case .transaction(let peer, let sequence): "\(what) for transaction \(sequence) of \(peer)"
    case .schema(let refusal): "\(what): \(refusal)"
    case .constraint(let refusal): "\(what): \(refusal)"
    case .history(let peer, let sequence):
      "\(what) until \(peer) publishes its transaction \(sequence) again"
    case .fork(let sequence):
      "\(what): two stores have written as \(peer) from \(sequence) on, one of them restored from a backup or "
        + "copied; run `tributary sync` on both, which gives each an identity of its own"
    case .strayed(let former, _):
      "\(what): this store has imported what a copy of the store of \(former) wrote, or something that "
        + "depends on it, under a name that was given up since; run `tributary rebuild` here"
    case .baseline(let declaration):
      "\(what) for a baseline that declares the horizon \(declaration.lowerHex), above which it is written"
    case .fenced:
      "\(what): its author did not know all that the devices have agreed to forget; run `tributary sync` on that "
        + "device, which issues it again"
    }
  }
}
