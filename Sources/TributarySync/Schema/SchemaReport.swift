public import TributaryCore
public import TributaryReplay
public import TributaryStore

/// The migrations of a store and its peers, what waits for them, and whose tables differ from those here.
public struct SchemaReport: Sendable {
  /// A migration that has run here or on another device.
  public struct Step: Sendable {
    /// The name; `nil` stands for what no known migration would provide.
    public var name: String?
    /// Its position among all known migrations, from 1; zero if there is none.
    public var position: Int
    /// Whether it has run here.
    public var isHere: Bool
    /// The other peers that have run it, in order.
    public var peers: [PeerIdentity]
    /// The transactions that wait here for a table or column, in order of peer.
    public var waiting: [Waiting]
  }

  /// A peer whose tables differ from those here.
  public struct Peer: Sendable {
    /// The identity of the peer's store.
    public var peer: PeerIdentity
    /// Its name, as it was given to `attach`.
    public var name: String
    /// What differs.
    public var differences: [SchemaDifference]
    /// Why its schema cannot be compared; `nil` if it was.
    public var trouble: String?
  }

  /// The migrations in their order. If something waits that none of them would provide, the last step has no
  /// name.
  public var steps: [Step] = []
  /// The peers whose tables differ, in order.
  public var peers: [Peer] = []
  /// The names of all peers, as far as they are known.
  public var names: [PeerIdentity: String] = [:]
  /// Whether this store automatically takes what the schemas of the others add.
  public var followsSchema = false
}
