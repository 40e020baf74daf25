public import TributaryCore
public import TributaryStore

/// How a store stands.
public struct StatusReport: Sendable {
  /// The path of the database.
  public var store: String
  public var identity: StoreIdentity
  /// This store first, then the others by identity; `time` is that of the last transaction known
  /// here.
  public var peers: [(peer: PeerIdentity, name: String, sequence: SequenceNumber, time: HybridTime)]
  /// Those of `peers` that are nobody any more, and who each of them is now: a store that was restored
  /// from a backup has taken another identity.
  public var successors: [PeerIdentity: PeerIdentity] = [:]
  /// Own transactions that are in no published segment.
  public var unpublished: Int
  public var waiting: [Waiting]
  /// What `waiting` is for, and what can be done about it.
  public var delays: [Delay] = []
  /// How many conflicts last.
  public var conflicts: Int
  /// What transactions are written under.
  public var schema: String
  /// By what the rows of tables without PRIMARY KEY are known.
  public var keys: [TableKey] = []
  /// What the store held at that moment: what a write may be based on.
  public var version: Version
  /// Since when the container cannot be used in full, and why.
  public var trouble: ContainerTrouble?
  /// What is amiss, each with its remedy.
  public var findings: [String]
}
