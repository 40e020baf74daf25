public import TributaryCore

/// What a store knows about a peer: whether it is still counted on, how far it has got, and whether it keeps
/// the others from forgetting.
public struct PeerStanding: Equatable, Sendable {
  /// What a peer means to the horizon, which waits for active peers.
  public enum State: String, Sendable, CaseIterable {
    /// It has stated something new within the last week.
    case active
    /// It has stated nothing new for seven days on which this store has synchronised. It still counts.
    case silent
    /// It is not counted on any more: a store has retired it, or no store has this identity now.
    case retired
  }

  /// The identity of the peer's store.
  public var peer: PeerIdentity
  /// The display name; empty if it is not known here.
  public var name: String
  /// What the peer means to the horizon.
  public var state: State
  /// The last transaction of the peer that is known here; zero for none.
  public var sequence: SequenceNumber
  /// The time of that transaction.
  public var time: HybridTime
  /// The last of this store's own transactions that the peer has stated to have, together with all before it.
  public var acknowledged: SequenceNumber
  /// Whether more would be known to be everywhere if this peer did not count: it alone lacks something that
  /// all others have.
  public var holdsHorizon: Bool
  /// For how many of the days on which this store has synchronised the peer has stated nothing new.
  public var silentDays: Int

  /// After this many days, a peer counts as silent.
  static let patience: UInt64 = 7
}
