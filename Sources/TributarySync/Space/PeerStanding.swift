public import TributaryCore

/// What a store knows of a peer: whether it is still counted on, how far it has come, and whether it keeps the others
/// from forgetting.
public struct PeerStanding: Equatable, Sendable {
  /// What a peer is to the horizon, which waits for active ones.
  public enum State: String, Sendable, CaseIterable {
    /// It has said something new within the last week.
    case active
    /// It has said nothing new for seven days on which this store has synchronised. It still counts.
    case silent
    /// It is not counted on any more: somebody has retired it, or no store has this identity now.
    case retired
  }

  /// Which store it is.
  public var peer: PeerIdentity
  /// The name for people; empty if it is not known here.
  public var name: String
  /// What it is to the horizon.
  public var state: State
  /// The last transaction of the peer that is known here; zero for none.
  public var sequence: SequenceNumber
  /// The time of that transaction.
  public var time: HybridTime
  /// The last transaction of this store's own that the peer has said to have, with all before it.
  public var acknowledged: SequenceNumber
  /// Whether more would be known to be everywhere if this peer did not count: it alone lacks something that all
  /// others have.
  public var holdsHorizon: Bool
  /// For how many of the days on which this store has synchronised the peer has said nothing new.
  public var silentDays: Int

  /// After this many days, a peer counts as silent.
  static let patience: UInt64 = 7
}
