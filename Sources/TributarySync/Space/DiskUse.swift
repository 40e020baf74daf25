public import TributaryCore

/// How much room a store takes, in bytes.
public struct DiskUse: Equatable, Sendable {
  /// The file of the database.
  public var store: UInt64
  /// The write-ahead log beside it.
  public var writeAheadLog: UInt64
  /// The tables of the bookkeeping in that file, without the outbox; `nil` if this SQLite cannot tell.
  public var bookkeeping: UInt64?
  /// The records of own transactions in that file; `nil` if this SQLite cannot tell.
  public var outbox: UInt64?
  /// The files in the container; `nil` if they could not be seen.
  public var container: Container?
  /// The limit that was declared; `nil` for none.
  public var limit: UInt64?
  /// About what counts towards the limit: own segments, own baselines, and the records of own transactions.
  public var used: UInt64 = 0

  package init(store: UInt64, writeAheadLog: UInt64) {
    self.store = store
    self.writeAheadLog = writeAheadLog
  }

  /// What lies in the container under the content name, and what of this store's own could go.
  public struct Container: Equatable, Sendable {
    /// The segments of this store.
    public var ownLog: UInt64 = 0
    /// The segments of all others.
    public var otherLogs: UInt64 = 0
    /// The baselines of this store.
    public var ownBaselines: UInt64 = 0
    /// The baselines of all others.
    public var otherBaselines: UInt64 = 0
    /// Own segments and records that every peer has which still counts, but for the newest segment. They can go when
    /// baselines contain them.
    public var reclaimable: UInt64 = 0
    /// The newest own segment and its records, if every peer has them: they stay, so that others see which numbers are
    /// taken.
    public var kept: UInt64 = 0
    /// Own segments and records that some peer lacks.
    public var held: UInt64 = 0
    /// The peers that lack most of them, in ascending order.
    public var holders: [PeerIdentity] = []

    /// The bytes of all baselines.
    public var baselines: UInt64 { ownBaselines + otherBaselines }

    package init() {}
  }

  /// Adds what lies in the container.
  mutating func add(_ container: Container) {
    self.container = container
    used += container.ownBaselines
  }

  /// Says that the limit is exceeded; `nil` if it is not.
  public var notice: SpaceNotice? { limit.flatMap { SpaceNotice(limit: $0, used: used) } }
}
