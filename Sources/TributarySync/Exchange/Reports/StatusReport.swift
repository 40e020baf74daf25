public import TributaryCore
public import TributaryReplay
public import TributaryStore

/// The state of a store.
public struct StatusReport: Sendable {
  /// The path of the database.
  public var store: String
  /// Which store it is, and where its container is.
  public var identity: StoreIdentity
  /// This store first, then the others by identity; `time` is that of the last transaction known
  /// here.
  public var peers: [(peer: PeerIdentity, name: String, sequence: SequenceNumber, time: HybridTime)]
  /// Those of `peers` that no longer exist, each with its present identity: a store that was restored from a
  /// backup has taken another one.
  public var successors: [PeerIdentity: PeerIdentity] = [:]
  /// The number of own transactions that are in no published segment.
  public var unpublished: Int
  /// What has arrived and waits for something that has not.
  public var waiting: [Waiting]
  /// What `waiting` waits for, and what can be done about it.
  public var delays: [Delay] = []
  /// The number of open conflicts.
  public var conflicts: Int
  /// The schema name of transactions written now.
  public var schema: String
  /// Whether the store takes by itself what the schemas of other devices add.
  public var followsSchema = false
  /// What identifies the rows of tables without PRIMARY KEY.
  public var keys: [TableKey] = []
  /// The version of the store at that moment, on which a write may be based.
  public var version: Version
  /// Since when the container cannot be used fully, and why.
  public var trouble: ContainerTrouble?
  /// How much room the store takes.
  public var space: DiskUse
  /// What is wrong, each with its remedy.
  public var findings: [String]
}
