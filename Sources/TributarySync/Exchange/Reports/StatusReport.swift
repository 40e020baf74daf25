public import TributaryCore
public import TributaryReplay
public import TributaryStore

/// The state of a store.
public struct StatusReport: Sendable {
  /// The path of the database.
  public var store: String
  /// The store's identity, and where its container is.
  public var identity: StoreIdentity
  /// This store first, then the others by identity; `time` is that of the last transaction known
  /// here.
  public var peers: [(peer: PeerIdentity, name: String, sequence: SequenceNumber, time: HybridTime)]
  /// Those of `peers` that no longer exist, each with its present identity: a store that was restored from a
  /// backup has taken another one.
  public var successors: [PeerIdentity: PeerIdentity] = [:]
  /// The number of own transactions that are in no published segment.
  public var unpublished: Int
  /// The transactions that have arrived and wait for something that has not.
  public var waiting: [Waiting]
  /// What `waiting` waits for, and what can be done about it.
  public var delays: [Delay] = []
  /// The number of open conflicts.
  public var conflicts: Int
  /// The schema name that transactions written now get.
  public var schema: String
  /// Whether the store automatically takes what the schemas of other devices add.
  public var followsSchema = false
  /// What identifies the rows of tables without PRIMARY KEY.
  public var keys: [TableKey] = []
  /// The store's version at that moment, on which a write may be based.
  public var version: Version
  /// Since when the container has not been fully usable, and why.
  public var trouble: ContainerTrouble?
  /// How much disk space the store takes.
  public var space: DiskUse
  /// What is wrong, each with its remedy.
  public var findings: [String]
}
